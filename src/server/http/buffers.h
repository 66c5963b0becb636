// What a connection has read and not yet parsed, and what it has to write.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "server/http/message.h"

namespace glovebox::http {

// Bytes that were read. Memory moves only in prepare(), so a read may be under way while others consume.
class InputBuffer {
 public:
  [[nodiscard]] std::string_view view() const { return {bytes_.get() + begin_, end_ - begin_}; }
  [[nodiscard]] bool empty() const { return begin_ == end_; }
  void consume(std::size_t count) { begin_ += count; }

  // Room for a read, in a buffer of `capacity` bytes (or larger, if more is waiting); may be empty.
  [[nodiscard]] std::span<char> prepare(std::size_t capacity);
  void commit(std::size_t count) { end_ += count; }

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

// Bytes to write, in order; the last may be a file that is read piece by piece.
class OutputQueue {
 public:
  static constexpr std::size_t kPieces = 8;

  void push(std::string bytes);
  void push_file(FileBody file) { file_ = std::move(file); }
  [[nodiscard]] bool empty() const { return strings_.empty() && !file_.has_value(); }

  // The next pieces. Nothing if the file ended before its length was sent, or cannot be read.
  [[nodiscard]] std::optional<std::span<const std::string_view>> pieces();
  void consume(std::size_t count);

 private:
  [[nodiscard]] bool load_file();

  std::deque<std::string> strings_;
  std::size_t sent_of_first_ = 0;
  std::optional<FileBody> file_;
  std::array<std::string_view, kPieces> pieces_;
};

}  // namespace glovebox::http

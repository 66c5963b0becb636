// Keeps the head and the tail of a stream and counts all of it (L6). Never grows past its cap.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace glovebox::engine {

class OutputCapture {
 public:
  explicit OutputCapture(std::uint64_t cap_bytes);

  void append(std::string_view bytes);

  [[nodiscard]] std::uint64_t total_bytes() const { return total_; }
  [[nodiscard]] bool truncated() const { return total_ > cap_; }
  // All of it, or head, a marker that counts what is missing, and tail. Raw bytes.
  [[nodiscard]] std::string bytes() const;
  // What a reader who has seen the first `seen_bytes` of the stream still misses, with a marker for a gap.
  [[nodiscard]] std::string remainder(std::uint64_t seen_bytes) const;

 private:
  [[nodiscard]] std::string tail() const;
  [[nodiscard]] static std::string marker(std::uint64_t omitted);

  std::uint64_t cap_;
  std::uint64_t head_cap_;
  std::uint64_t tail_cap_;
  std::uint64_t total_ = 0;
  std::string head_;
  std::string ring_;  // the last tail_cap_ bytes after the head, a ring once full
  std::uint64_t ring_next_ = 0;
};

}  // namespace glovebox::engine

#include "server/http/buffers.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace glovebox::http {

std::span<char> InputBuffer::prepare(std::size_t capacity) {
  const std::size_t waiting = end_ - begin_;
  capacity = std::max(capacity, waiting);
  if (capacity != capacity_) {
    auto moved = std::make_unique_for_overwrite<char[]>(capacity);
    std::copy_n(bytes_.get() + begin_, waiting, moved.get());
    bytes_ = std::move(moved);
    capacity_ = capacity;
  } else if (begin_ > 0) {
    std::memmove(bytes_.get(), bytes_.get() + begin_, waiting);
  }
  begin_ = 0;
  end_ = waiting;
  return {bytes_.get() + end_, capacity_ - end_};
}

void OutputQueue::push(std::string bytes) {
  if (!bytes.empty()) {
    strings_.push_back(std::move(bytes));
  }
}

std::optional<std::span<const std::string_view>> OutputQueue::pieces() {
  if (strings_.empty() && !load_file()) {
    return std::nullopt;
  }
  std::size_t count = 0;
  for (const std::string& bytes : strings_) {
    if (count == kPieces) {
      break;
    }
    pieces_[count] = count == 0 ? std::string_view(bytes).substr(sent_of_first_) : std::string_view(bytes);
    ++count;
  }
  return std::span<const std::string_view>(pieces_).first(count);
}

void OutputQueue::consume(std::size_t count) {
  while (count > 0 && !strings_.empty()) {
    const std::size_t left = strings_.front().size() - sent_of_first_;
    if (count < left) {
      sent_of_first_ += count;
      return;
    }
    count -= left;
    sent_of_first_ = 0;
    strings_.pop_front();
  }
  if (file_.has_value() && file_->length == 0) {
    file_.reset();
  }
}

bool OutputQueue::load_file() {
  constexpr std::uint64_t kPieceBytes = 128U << 10U;
  if (!file_.has_value()) {
    return false;
  }
  std::string bytes(static_cast<std::size_t>(std::min(kPieceBytes, file_->length)), '\0');
  ssize_t got = 0;
  do {
    got = ::pread(file_->fd.get(), bytes.data(), bytes.size(), static_cast<off_t>(file_->offset));
  } while (got < 0 && errno == EINTR);
  if (got <= 0) {
    return false;
  }
  bytes.resize(static_cast<std::size_t>(got));
  file_->offset += bytes.size();
  file_->length -= bytes.size();
  strings_.push_back(std::move(bytes));
  return true;
}

}  // namespace glovebox::http

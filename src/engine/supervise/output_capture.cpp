#include "engine/supervise/output_capture.h"

#include <algorithm>

namespace glovebox::engine {

OutputCapture::OutputCapture(std::uint64_t cap_bytes)
    : cap_(cap_bytes), head_cap_(cap_bytes - cap_bytes / 2), tail_cap_(cap_bytes / 2) {}

void OutputCapture::append(std::string_view bytes) {
  total_ += bytes.size();
  if (head_.size() < head_cap_) {
    const std::size_t take = std::min<std::size_t>(bytes.size(), head_cap_ - head_.size());
    head_ += bytes.substr(0, take);
    bytes.remove_prefix(take);
  }
  if (bytes.size() >= tail_cap_) {
    ring_ = bytes.substr(bytes.size() - tail_cap_);
    ring_next_ = 0;
    return;
  }
  while (!bytes.empty()) {
    if (ring_.size() < tail_cap_) {
      const std::size_t take = std::min<std::size_t>(bytes.size(), tail_cap_ - ring_.size());
      ring_ += bytes.substr(0, take);
      bytes.remove_prefix(take);
      continue;
    }
    const std::size_t take = std::min<std::size_t>(bytes.size(), ring_.size() - ring_next_);
    ring_.replace(ring_next_, take, bytes.substr(0, take));
    ring_next_ = (ring_next_ + take) % ring_.size();
    bytes.remove_prefix(take);
  }
}

std::string OutputCapture::tail() const { return ring_.substr(ring_next_) + ring_.substr(0, ring_next_); }

std::string OutputCapture::marker(std::uint64_t omitted) {
  return "\n[… " + std::to_string(omitted) + " bytes omitted …]\n";
}

std::string OutputCapture::bytes() const {
  if (!truncated()) {
    return head_ + tail();
  }
  return head_ + marker(total_ - head_.size() - ring_.size()) + tail();
}

std::string OutputCapture::remainder(std::uint64_t seen_bytes) const {
  if (seen_bytes >= total_) {
    return {};
  }
  const std::string end = tail();
  const std::uint64_t end_starts = total_ - end.size();
  if (seen_bytes >= end_starts) {
    return end.substr(seen_bytes - end_starts);
  }
  return marker(end_starts - seen_bytes) + end;
}

}  // namespace glovebox::engine

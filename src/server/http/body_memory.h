// One bound on the memory of request bodies, over all connections: each may be large, but not all of them at once.
//
// A body counts from the bytes it arrives with until its request is forgotten, which is when its run has ended: what
// was parsed from it lives as long. The first kFree bytes of each are free, so that small calls, such as the one that
// stops everything, always get through; the number of connections bounds those.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace glovebox::http {

class BodyMemory {
 public:
  static constexpr std::uint64_t kFree = 64U << 10U;

  explicit BodyMemory(std::uint64_t most_bytes) : most_(most_bytes) {}

  // Whether a body of this size would fit now. Nothing is set aside: a client that announces and does not send would
  // otherwise take the room of those who do.
  [[nodiscard]] bool has_room_for(std::uint64_t body_bytes) const {
    return body_bytes <= kFree || held_ + (body_bytes - kFree) <= most_;
  }
  [[nodiscard]] bool take(std::uint64_t bytes) {
    if (held_.fetch_add(bytes) + bytes <= most_) {
      return true;
    }
    held_ -= bytes;
    return false;
  }
  void give_back(std::uint64_t bytes) { held_ -= bytes; }
  [[nodiscard]] std::uint64_t held() const { return held_; }

 private:
  const std::uint64_t most_;
  std::atomic<std::uint64_t> held_ = 0;
};

// What one body has taken of it; given back at the end.
class BodyShare {
 public:
  explicit BodyShare(std::shared_ptr<BodyMemory> memory) : memory_(std::move(memory)) {}
  BodyShare(const BodyShare&) = delete;
  BodyShare& operator=(const BodyShare&) = delete;
  ~BodyShare() { memory_->give_back(taken_); }

  // The body has so many bytes now; false: there is no room for them.
  [[nodiscard]] bool grow_to(std::uint64_t body_bytes) {
    const std::uint64_t wanted = body_bytes > BodyMemory::kFree ? body_bytes - BodyMemory::kFree : 0;
    if (wanted > taken_) {
      if (!memory_->take(wanted - taken_)) {
        return false;
      }
      taken_ = wanted;
    }
    return true;
  }

 private:
  std::shared_ptr<BodyMemory> memory_;
  std::uint64_t taken_ = 0;
};

}  // namespace glovebox::http

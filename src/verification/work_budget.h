// What one verification may cost: steps of work, processor time, and memory. Every loop over foreign data spends from
// it; what is left unchecked when it is empty counts as failed, never as passed. A budget belongs to the thread that
// made it; a busy machine takes nothing from it.
//
// A step is about 40 ns. The clock is read every few thousand steps, and before a large amount is granted: work that is
// paid for at once cannot be stopped half way, so there has to be time for all of it.
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>

#include "base/build_speed.h"
#include "base/thread_clock.h"

namespace glovebox::verification {

class WorkBudget {
 public:
  using Clock = base::ThreadClock;
  static constexpr std::uint64_t kSteps = 50'000'000;
  static constexpr std::chrono::milliseconds kTime{2000 * base::kSlowness};
  // Documents and lists that are kept at the same time, of all checks together.
  static constexpr std::uint64_t kMemoryBytes = std::uint64_t{256} << 20U;

  WorkBudget() : WorkBudget(kSteps, kTime) {}
  WorkBudget(std::uint64_t steps, std::chrono::milliseconds time) : left_(steps), end_(Clock::now() + time) {}

  // False when there is nothing left, and then for ever.
  [[nodiscard]] bool spend(std::uint64_t steps) {
    if (spent_out_ || steps > left_) {
      spent_out_ = true;
      return false;
    }
    left_ -= steps;
    since_look_ += steps;
    if (since_look_ >= kLookEvery) {
      since_look_ = 0;
      const Clock::time_point now = Clock::now();
      spent_out_ = late_ = now > end_ || now + kTimePerStep * steps > end_ + kTime / 10;
    }
    return !spent_out_;
  }
  [[nodiscard]] bool spent_out() const { return spent_out_; }
  // It was the clock: another time it may do.
  [[nodiscard]] bool late() const { return late_; }
  // Time that this thread spent on other work does not count.
  void extend(Clock::duration time) { end_ += time; }

  // Memory that is about to be used; false when there is not so much. let_go() or a MemoryScope gives it back.
  [[nodiscard]] bool hold(std::uint64_t bytes) {
    if (bytes > memory_left()) {
      return false;
    }
    held_ += bytes;
    return true;
  }
  void let_go(std::uint64_t bytes) { held_ -= std::min(bytes, held_); }
  [[nodiscard]] std::uint64_t memory_left() const { return kMemoryBytes - held_; }

 private:
  friend class MemoryScope;
  static constexpr std::uint64_t kLookEvery = 10'000;
  static constexpr std::chrono::nanoseconds kTimePerStep{40};

  std::uint64_t left_;
  std::uint64_t since_look_ = 0;
  std::uint64_t held_ = 0;
  Clock::time_point end_;
  bool spent_out_ = false;
  bool late_ = false;
};

// What was held since its beginning is free again at its end.
class MemoryScope {
 public:
  explicit MemoryScope(WorkBudget& budget) : budget_(budget), before_(budget.held_) {}
  ~MemoryScope() { budget_.held_ = before_; }
  MemoryScope(const MemoryScope&) = delete;
  MemoryScope& operator=(const MemoryScope&) = delete;

 private:
  WorkBudget& budget_;
  std::uint64_t before_;
};

// Steps for putting one more text into a sorted container of so many: a comparison on each level.
[[nodiscard]] inline std::uint64_t steps_to_insert(std::uint64_t elements, std::uint64_t bytes) {
  return (1 + bytes / 64) * static_cast<std::uint64_t>(std::bit_width(elements | 1U));
}

inline constexpr const char* kOutOfBudget = "not checked: the work that verification may cost is used up";
inline constexpr const char* kOutOfMemory =
    "too large to be checked: what verification keeps in memory would be more than 256 MiB";

}  // namespace glovebox::verification

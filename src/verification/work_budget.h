// What one verification may cost: steps of work, and time on a clock. Every loop over foreign data spends from it; what
// is left unchecked when it is empty counts as failed, never as passed.
#pragma once

#include <chrono>
#include <cstdint>

namespace glovebox::verification {

class WorkBudget {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t kSteps = 50'000'000;
  static constexpr std::chrono::milliseconds kTime{2000};

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
      spent_out_ = late_ = Clock::now() > end_;
    }
    return !spent_out_;
  }
  [[nodiscard]] bool spent_out() const { return spent_out_; }
  // It was the clock: another time it may do.
  [[nodiscard]] bool late() const { return late_; }
  // Time in which somebody else worked does not count.
  void extend(Clock::duration time) { end_ += time; }

 private:
  static constexpr std::uint64_t kLookEvery = 10'000;

  std::uint64_t left_;
  std::uint64_t since_look_ = 0;
  Clock::time_point end_;
  bool spent_out_ = false;
  bool late_ = false;
};

inline constexpr const char* kOutOfBudget = "not checked: the work that verification may cost is used up";

}  // namespace glovebox::verification

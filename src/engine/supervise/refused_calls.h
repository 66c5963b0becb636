// Answers the system calls that the filter refuses, from outside the cell, and remembers them.
//
// Only refused calls come here, so that allowed ones cost nothing. A program that makes them in a loop is slowed down
// instead of being allowed to burn the supervisor's CPU: after a burst, one answer per millisecond.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <vector>

#include "base/fd.h"
#include "contract/run_result.h"
#include "engine/supervise/denial_log.h"

namespace glovebox::engine {

class RefusedCalls {
 public:
  using Clock = std::chrono::steady_clock;

  explicit RefusedCalls(const os::SeccompFilter& filter) : log_(filter) {}

  void listen(base::Fd listener) { listener_ = std::move(listener); }
  void stop() { listener_.reset(); }
  // The descriptor to poll now, or -1 while slowed down.
  [[nodiscard]] int pollable(Clock::time_point now) const;
  // When pollable() will give a descriptor again; nullopt if it does so already.
  [[nodiscard]] std::optional<Clock::time_point> resumes_at(Clock::time_point now) const;
  // Takes and answers one notification. False when the listener is finished.
  bool answer_one(Clock::time_point now);
  [[nodiscard]] std::vector<contract::Denial> denials() const { return log_.list(); }
  [[nodiscard]] const std::set<int>& answers() const { return log_.answers(); }
  [[nodiscard]] std::uint64_t total() const { return log_.total(); }

 private:
  base::Fd listener_;
  DenialLog log_;
  Clock::time_point next_answer_{};
};

}  // namespace glovebox::engine

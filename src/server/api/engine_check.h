// Whether cells can be made now, for whoever asks, as often as they ask: it is tried at most every few seconds, by one
// at a time. Meanwhile the others hear what was found last.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

#include "base/error.h"
#include "runner/runner.h"

namespace glovebox::server {

class EngineCheck {
 public:
  // The service has just tried, and would not have started otherwise.
  explicit EngineCheck(runner::Runner& runner) : runner_(runner) {}

  // What is wrong; empty when nothing is. May take as long as a run.
  [[nodiscard]] std::string trouble() {
    if (const std::unique_lock trying(trying_, std::try_to_lock); trying.owns_lock() && is_old()) {
      const auto made = runner_.try_cell();
      const std::lock_guard lock(mutex_);
      trouble_ = made ? "" : base::describe(made.error());
      tried_ = Clock::now();
    }
    const std::lock_guard lock(mutex_);
    return trouble_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto kFresh = std::chrono::seconds(5);

  [[nodiscard]] bool is_old() {
    const std::lock_guard lock(mutex_);
    return Clock::now() - tried_ >= kFresh;
  }

  runner::Runner& runner_;
  std::mutex trying_;
  std::mutex mutex_;
  std::string trouble_;
  Clock::time_point tried_ = Clock::now();
};

}  // namespace glovebox::server

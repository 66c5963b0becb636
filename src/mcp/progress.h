// How far a run is: elapsed time and bytes of output, told while it goes on.
//
// Something is told when the run changes its state and once a second; always more than before, and nothing once the
// call is answered. Without anybody who wants to hear it, it costs nothing.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "contract/event.h"
#include "mcp/call.h"
#include "mcp/ticker.h"

namespace glovebox::mcp {

class Progress : public std::enable_shared_from_this<Progress> {
 public:
  // Null if the client did not ask for it. `wall_ms` is the most that the run may take.
  [[nodiscard]] static std::shared_ptr<Progress> start(const CallPtr& call, Ticker& ticker, std::uint64_t wall_ms);

  explicit Progress(const CallPtr& call, std::uint64_t wall_ms) : call_(call), wall_ms_(wall_ms) {}

  // A state of the run, or its output.
  void note(const contract::Event& event);
  void state(std::string name);
  void end() { ended_ = true; }

 private:
  void tell();

  const std::weak_ptr<Call> call_;
  const std::uint64_t wall_ms_;
  const std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
  std::atomic<std::uint64_t> output_bytes_ = 0;
  std::atomic<bool> ended_ = false;
  std::mutex mutex_;  // for what follows, and the order of what is told
  std::string state_ = "waiting";
  double told_ms_ = -1;
};

}  // namespace glovebox::mcp

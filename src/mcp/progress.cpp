#include "mcp/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/stopwatch.h"

namespace glovebox::mcp {
namespace {

constexpr auto kPause = std::chrono::milliseconds(1000);

}  // namespace

std::shared_ptr<Progress> Progress::start(const CallPtr& call, Ticker& ticker, std::uint64_t wall_ms) {
  if (!call->wants_progress()) {
    return nullptr;
  }
  auto progress = std::make_shared<Progress>(call, wall_ms);
  ticker.every(kPause, [weak = std::weak_ptr(progress)] {
    const auto alive = weak.lock();
    if (alive == nullptr || alive->ended_) {
      return false;
    }
    alive->tell();
    return true;
  });
  progress->tell();
  return progress;
}

void Progress::note(const contract::Event& event) {
  if (event.kind == contract::EventKind::state) {
    return state(std::string(event.data));
  }
  output_bytes_ += event.data.size();
}

void Progress::state(std::string name) {
  {
    const std::lock_guard lock(mutex_);
    state_ = std::move(name);
  }
  tell();
}

void Progress::tell() {
  const CallPtr call = call_.lock();
  if (call == nullptr || ended_) {
    return;
  }
  const std::lock_guard lock(mutex_);
  const double elapsed_ms = base::ms_since(since_);
  const double done = std::max(std::round(elapsed_ms), told_ms_ + 1);
  told_ms_ = done;
  // A total that is passed says nothing; waiting in line is not part of it.
  const double total = done <= static_cast<double>(wall_ms_) ? static_cast<double>(wall_ms_) : 0;
  call->progress(done, total,
                 fmt::format("{}: {:.1f} s, {} bytes of output", state_, elapsed_ms / 1000, output_bytes_.load()));
}

}  // namespace glovebox::mcp

#include "workspaces/turns.h"

#include <algorithm>

namespace glovebox::workspaces {
namespace {

// More than a model has calls under way; each of them may hold a thread.
constexpr std::size_t kMaxInLine = 9;
// A cancelled caller is noticed within this. Only those who wait pay for it.
constexpr std::chrono::milliseconds kLook{20};

base::Error busy(std::string message) {
  return base::make_error(base::ErrorCode::overloaded, std::move(message))
      .with_retry_after(1)
      .with_hint("one run at a time uses a workspace: wait for it, or use another workspace");
}

}  // namespace

Turns::Turn::~Turn() {
  if (owner_ != nullptr) {
    owner_->leave(place_);
  }
}

void Turns::leave(std::list<std::uint8_t>::iterator place) {
  const std::lock_guard lock(mutex_);
  line_.erase(place);
  moved_.notify_all();
}

base::Result<Turns::Turn> Turns::take(std::chrono::milliseconds patience, const engine::CancelToken* cancel) {
  const auto until = std::chrono::steady_clock::now() + patience;
  std::unique_lock lock(mutex_);
  if (line_.size() >= kMaxInLine) {
    return base::fail(busy("too many calls wait for this workspace"));
  }
  const auto place = line_.insert(line_.end(), 0);
  while (line_.begin() != place) {
    const auto now = std::chrono::steady_clock::now();
    const bool cancelled = cancel != nullptr && cancel->is_cancelled();
    if (cancelled || now >= until) {
      line_.erase(place);
      moved_.notify_all();
      return cancelled ? base::fail(base::ErrorCode::cancelled, "cancelled while it waited for the workspace")
                       : base::fail(busy("the workspace was busy for too long"));
    }
    moved_.wait_until(lock, cancel != nullptr ? std::min(until, now + kLook) : until);
  }
  return Turn(this, place);
}

std::size_t Turns::in_line() const {
  const std::lock_guard lock(mutex_);
  return line_.size();
}

}  // namespace glovebox::workspaces

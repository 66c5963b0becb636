#include "server/api/approval_desk.h"

#include <algorithm>
#include <chrono>

#include "runner/ledger.h"

namespace glovebox::server {
namespace {

constexpr std::size_t kMostVisitors = 1000;
constexpr std::size_t kMaxQuestionsOfTenant = 100;
constexpr std::uint64_t kMostBytes = 256ULL << 20U;

void call(const std::vector<ApprovalDesk::Callback>& callbacks, WaitEnd why) {
  for (const ApprovalDesk::Callback& callback : callbacks) {
    callback(why);
  }
}

}  // namespace

ApprovalDesk::ApprovalDesk() : clock_([this] { look_after_deadlines(); }) {}

ApprovalDesk::~ApprovalDesk() {
  close();
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  clock_.join();
}

void ApprovalDesk::wait(Visitor visitor) {
  WaitEnd refusal = WaitEnd::full;
  {
    const std::lock_guard lock(mutex_);
    const auto of_tenant = static_cast<std::size_t>(std::count_if(
        visitors_.begin(), visitors_.end(), [&](const Visitor& other) { return other.tenant == visitor.tenant; }));
    if (closed_) {
      refusal = WaitEnd::draining;
    } else if (visitors_.size() < kMostVisitors && of_tenant < kMaxQuestionsOfTenant &&
               bytes_ + visitor.bytes <= kMostBytes) {
      bytes_ += visitor.bytes;
      visitors_.push_back(std::move(visitor));
      changed_.notify_all();
      return;
    }
  }
  visitor.callback(refusal);
}

template <typename Picks>
std::vector<ApprovalDesk::Callback> ApprovalDesk::take(Picks picks) {
  std::vector<Callback> callbacks;
  for (auto visitor = visitors_.begin(); visitor != visitors_.end();) {
    if (picks(*visitor)) {
      bytes_ -= visitor->bytes;
      callbacks.push_back(std::move(visitor->callback));
      visitor = visitors_.erase(visitor);
    } else {
      ++visitor;
    }
  }
  return callbacks;
}

void ApprovalDesk::answered(const std::string& approval_id) {
  std::unique_lock lock(mutex_);
  const auto callbacks = take([&](const Visitor& visitor) { return visitor.approval_id == approval_id; });
  lock.unlock();
  call(callbacks, WaitEnd::answered);
}

std::optional<std::string> ApprovalDesk::cancel(const std::string& run_id) {
  std::string approval_id;
  std::unique_lock lock(mutex_);
  const auto callbacks = take([&](const Visitor& visitor) {
    if (visitor.run_id != run_id) {
      return false;
    }
    approval_id = visitor.approval_id;
    return true;
  });
  const bool wanted = std::any_of(visitors_.begin(), visitors_.end(),
                                  [&](const Visitor& visitor) { return visitor.approval_id == approval_id; });
  lock.unlock();
  call(callbacks, WaitEnd::cancelled);
  return callbacks.empty() || wanted ? std::nullopt : std::optional(approval_id);
}

void ApprovalDesk::end_all(WaitEnd why) {
  std::unique_lock lock(mutex_);
  const auto callbacks = take([](const Visitor&) { return true; });
  lock.unlock();
  call(callbacks, why);
}

void ApprovalDesk::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  end_all(WaitEnd::draining);
}

std::size_t ApprovalDesk::waiting() const {
  const std::lock_guard lock(mutex_);
  return visitors_.size();
}

void ApprovalDesk::look_after_deadlines() {
  constexpr auto kPause = std::chrono::milliseconds(100);
  std::unique_lock lock(mutex_);
  while (!ends_) {
    if (visitors_.empty()) {
      changed_.wait(lock, [this] { return ends_ || !visitors_.empty(); });
      continue;
    }
    changed_.wait_for(lock, kPause, [this] { return ends_; });
    const std::int64_t now_ms = runner::unix_ms();
    const auto callbacks = take([&](const Visitor& visitor) { return visitor.until_ms <= now_ms; });
    lock.unlock();
    call(callbacks, WaitEnd::expired);
    lock.lock();
  }
}

}  // namespace glovebox::server

#include "mcp/ticker.h"

#include <algorithm>
#include <utility>

namespace glovebox::mcp {

Ticker::~Ticker() { stop(); }

void Ticker::stop() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void Ticker::every(std::chrono::milliseconds interval, Tick tick) {
  const std::lock_guard lock(mutex_);
  entries_.push_back({Clock::now() + interval, interval, std::move(tick)});
  if (!thread_.joinable()) {
    thread_ = std::thread([this] { work(); });
  }
  changed_.notify_all();
}

void Ticker::work() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    const auto next = std::min_element(entries_.begin(), entries_.end(),
                                       [](const Entry& left, const Entry& right) { return left.due < right.due; });
    if (next == entries_.end()) {
      changed_.wait(lock);
      continue;
    }
    if (const auto due = next->due; due > Clock::now()) {
      changed_.wait_until(lock, due);
      continue;
    }
    std::list<Entry> taken;
    taken.splice(taken.end(), entries_, next);
    lock.unlock();
    const bool again = taken.front().tick();
    if (!again) {
      taken.clear();  // what it holds may need a moment to go
    }
    lock.lock();
    if (again) {
      taken.front().due = Clock::now() + taken.front().interval;
      entries_.splice(entries_.end(), taken);
    }
  }
}

}  // namespace glovebox::mcp

#include "runner/dispatcher.h"

#include <algorithm>
#include <utility>

#include "base/stopwatch.h"

namespace glovebox::runner {
namespace {

using base::ErrorCode;
using base::fail;
using base::make_error;
using std::chrono::milliseconds;

constexpr auto kLook = milliseconds(100);  // how often lines are searched for runs that have waited too long
constexpr std::uint32_t kWorkersPerProcessor = 4;
constexpr std::uint32_t kFewestWorkers = 8;
constexpr unsigned kRetryS = 1;

base::Error overloaded(std::string why) {
  return make_error(ErrorCode::overloaded, std::move(why)).with_retry_after(kRetryS);
}

}  // namespace

std::uint32_t worker_count(const QueueSettings& settings) {
  return settings.workers != 0 ? settings.workers
                               : std::max(kFewestWorkers, std::thread::hardware_concurrency() * kWorkersPerProcessor);
}

Dispatcher::Dispatcher(const QueueSettings& settings) : settings_(settings) {
  const std::uint32_t count = worker_count(settings);
  workers_.reserve(count);
  for (std::uint32_t index = 0; index < count; ++index) {
    workers_.emplace_back([this] { work(); });
  }
}

void Dispatcher::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  news_.notify_all();
  for (std::thread& worker : workers_) {
    worker.join();
  }
  workers_.clear();
}

base::Status Dispatcher::submit(const std::string& tenant, std::uint64_t most_running, std::string flight, Job job) {
  std::unique_lock lock(mutex_);
  if (stopping_) {
    return fail(base::make_error(base::ErrorCode::draining, "the service ends"));
  }
  Line& line = lines_[tenant];
  if (waiting_ >= settings_.length || line.waiting.size() >= settings_.tenant_length) {
    ++refused_;
    return fail(overloaded(std::to_string(line.waiting.size()) + " runs of this tenant wait already, " +
                           std::to_string(waiting_) + " in all"));
  }
  line.most_running = most_running;
  line.waiting.push_back({tenant, std::move(flight), std::move(job), Clock::now()});
  ++waiting_;
  put_in_turn(tenant, line);
  lock.unlock();  // who wakes up wants it at once
  news_.notify_one();
  return {};
}

void Dispatcher::put_in_turn(const std::string& tenant, Line& line) {
  const bool may_run = line.most_running == 0 || line.running < line.most_running;
  if (!line.in_turn && !line.waiting.empty() && may_run) {
    line.in_turn = true;
    turn_.push_back(tenant);
  }
}

// The next run of the tenant whose turn it is.
std::optional<Dispatcher::Entry> Dispatcher::next() {
  while (!turn_.empty()) {
    const std::string tenant = std::move(turn_.front());
    turn_.pop_front();
    Line& line = lines_[tenant];
    line.in_turn = false;
    if (line.waiting.empty() || (line.most_running != 0 && line.running >= line.most_running)) {
      continue;
    }
    Entry entry = std::move(line.waiting.front());
    line.waiting.pop_front();
    if (!entry.flight.empty()) {
      const auto [aside, first] = aside_.try_emplace(entry.flight);
      if (!first) {
        aside->second.push_back(std::move(entry));
        put_in_turn(tenant, line);
        continue;
      }
    }
    ++line.running;
    --waiting_;
    ++running_;
    put_in_turn(tenant, line);
    return entry;
  }
  return std::nullopt;
}

std::optional<Dispatcher::Entry> Dispatcher::take_late(Clock::time_point now) {
  if (settings_.wait_ms == 0 || now - looked_ < kLook) {
    return std::nullopt;
  }
  const auto is_late = [&](const Entry& entry) { return now - entry.since > milliseconds(settings_.wait_ms); };
  for (auto& [tenant, line] : lines_) {
    if (!line.waiting.empty() && (is_late(line.waiting.front()) || stopping_)) {
      Entry late = std::move(line.waiting.front());
      line.waiting.pop_front();
      return late;
    }
  }
  for (auto& [flight, followers] : aside_) {
    if (!followers.empty() && is_late(followers.front())) {
      Entry late = std::move(followers.front());
      followers.erase(followers.begin());
      return late;
    }
  }
  looked_ = now;
  return std::nullopt;
}

void Dispatcher::done(const Entry& entry) {
  Line& line = lines_[entry.tenant];
  --line.running;
  --running_;
  if (!entry.flight.empty()) {
    // They find the answer, or each runs by itself: one that could not be shared is no reason to wait for the next.
    std::vector<Entry> released = std::move(aside_.extract(entry.flight).mapped());
    for (auto follower = released.rbegin(); follower != released.rend(); ++follower) {
      if (!entry.flight.starts_with("serial ")) {
        follower->flight.clear();
      }
      Line& own = lines_[follower->tenant];
      const std::string tenant = follower->tenant;
      own.waiting.push_front(std::move(*follower));
      put_in_turn(tenant, own);
    }
    if (!released.empty()) {
      news_.notify_all();
    }
  }
  put_in_turn(entry.tenant, line);
  forget_if_empty(entry.tenant);
  if (!turn_.empty()) {
    news_.notify_one();
  }
}

void Dispatcher::forget_if_empty(const std::string& tenant) {
  if (const auto found = lines_.find(tenant);
      found != lines_.end() && found->second.waiting.empty() && found->second.running == 0) {
    lines_.erase(found);
  }
  if (running_ == 0 && waiting_ == 0) {
    idle_.notify_all();
  }
}

void Dispatcher::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    std::optional<Entry> entry = take_late(Clock::now());
    const bool starts = !entry.has_value();
    if (starts) {
      entry = next();
    }
    if (!entry) {
      if (stopping_ && waiting_ == 0) {
        return;
      }
      news_.wait_for(lock, kLook);
      continue;
    }
    const auto waited = Clock::now() - entry->since;
    Waited told{base::to_ms(waited), std::nullopt};
    if (stopping_) {
      told.refusal = make_error(ErrorCode::draining, "the service is shutting down");
    } else if (!starts) {
      ++refused_;
      told.refusal = overloaded("the run waited for " + std::to_string(settings_.wait_ms) + " ms and was not started");
    }
    lock.unlock();
    entry->job(told);
    entry->job = nullptr;  // what it holds goes outside of the lock
    lock.lock();
    if (starts) {
      done(*entry);
    } else {
      --waiting_;
      forget_if_empty(entry->tenant);
    }
  }
}

DispatcherLoad Dispatcher::load() const {
  const std::lock_guard lock(mutex_);
  return {waiting_, running_, workers_.size(), refused_};
}

std::uint64_t Dispatcher::running_of(const std::string& tenant) const {
  const std::lock_guard lock(mutex_);
  const auto found = lines_.find(tenant);
  return found == lines_.end() ? 0 : found->second.running;
}

bool Dispatcher::wait_until_idle(milliseconds patience) {
  std::unique_lock lock(mutex_);
  return idle_.wait_for(lock, patience, [this] { return running_ == 0 && waiting_ == 0; });
}

}  // namespace glovebox::runner

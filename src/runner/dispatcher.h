// Runs wait here for a worker, so that nobody who waits holds a thread, and no tenant can starve another.
//
// Each tenant has a line of its own. A free worker serves the tenants in turn, one run each, skipping those that have
// as many runs going as their quota allows. Runs that would wait for the same answer (`flight`) are put aside until the
// first of them has ended, instead of occupying a worker each; those of a serial flight (its name begins with "serial
// ") follow one after another. A run that has waited too long is told so and never starts.
//
// A job is called exactly once, on a worker, with the time it waited or with the reason why it may not run.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "runner/service_settings.h"

namespace glovebox::runner {

struct Waited {
  double queue_ms = 0;
  std::optional<base::Error> refusal;
};

struct DispatcherLoad {
  std::uint64_t waiting = 0;
  std::uint64_t running = 0;
  std::uint64_t workers = 0;
  std::uint64_t refused = 0;  // since the start: the line was full, or the wait too long
};

class Dispatcher {
 public:
  using Job = std::function<void(const Waited&)>;

  explicit Dispatcher(const QueueSettings& settings);
  ~Dispatcher() { stop(); }
  // Refuses what waits and what comes, and waits for what runs.
  void stop();

  // `most_running` of this tenant at the same time; 0: as many as there are workers. Fails when the line is too long.
  [[nodiscard]] base::Status submit(const std::string& tenant, std::uint64_t most_running, std::string flight, Job job);
  [[nodiscard]] DispatcherLoad load() const;
  [[nodiscard]] std::uint64_t running_of(const std::string& tenant) const;
  // True when nothing waits and nothing runs within the time. Takes new jobs all the same.
  [[nodiscard]] bool wait_until_idle(std::chrono::milliseconds patience);

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    std::string tenant;
    std::string flight;
    Job job;
    Clock::time_point since;
  };
  struct Line {
    std::deque<Entry> waiting;
    std::uint64_t running = 0;
    std::uint64_t most_running = 0;
    bool in_turn = false;
  };

  void work();
  [[nodiscard]] std::optional<Entry> next();
  // One that has waited too long, also of a tenant whose turn does not come.
  [[nodiscard]] std::optional<Entry> take_late(Clock::time_point now);
  void put_in_turn(const std::string& tenant, Line& line);
  void done(const Entry& entry);
  void forget_if_empty(const std::string& tenant);

  const QueueSettings settings_;
  mutable std::mutex mutex_;
  std::condition_variable news_;
  std::condition_variable idle_;
  std::map<std::string, Line> lines_;
  std::deque<std::string> turn_;                     // tenants with somebody waiting
  std::map<std::string, std::vector<Entry>> aside_;  // by flight: a key is here while its leader runs
  std::uint64_t waiting_ = 0;
  std::uint64_t running_ = 0;
  std::uint64_t refused_ = 0;
  bool stopping_ = false;
  Clock::time_point looked_{};
  std::vector<std::thread> workers_;
};

[[nodiscard]] std::uint32_t worker_count(const QueueSettings& settings);

}  // namespace glovebox::runner

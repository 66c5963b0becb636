// One thread that looks after everything with a clock: progress that is told every so often, questions that nobody
// answers. It starts with the first tick that is wanted.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

namespace glovebox::mcp {

class Ticker {
 public:
  using Tick = std::function<bool()>;  // false: not again

  Ticker() = default;
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;
  ~Ticker();

  // Nothing ticks any more when this returns. Must not be called by a tick.
  void stop();

  // The first time after one interval. Ticks must not block: they share the thread.
  void every(std::chrono::milliseconds interval, Tick tick);

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    Clock::time_point due;
    std::chrono::milliseconds interval;
    Tick tick;
  };
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Entry> entries_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace glovebox::mcp

// A peer is one way to run a program: bare, in bubblewrap, in a warm cell …
//
// A run has three steps, so that only the middle one is on the clock: plan() lays out files and requests, execute() is
// everything that a caller waits for (start, output read to its end, artifacts read back, process reaped), verdict()
// compares the answer with the expected one. plan() and the steps of different runs may be called from any number of
// threads.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/stopwatch.h"
#include "bench/workload.h"
#include "engine/pool/pool_metrics.h"

namespace glovebox::bench {

struct Verdict {
  std::string problem;  // empty: the right answer
  bool warm = false;
  std::map<std::string, double> stages;  // milliseconds, where the peer tells
};

class PlannedRun {
 public:
  PlannedRun() = default;
  PlannedRun(const PlannedRun&) = delete;
  PlannedRun& operator=(const PlannedRun&) = delete;
  virtual ~PlannedRun() = default;

  virtual void execute() = 0;
  [[nodiscard]] virtual Verdict verdict() = 0;
};

class Peer {
 public:
  Peer(std::string id, std::string title) : id_(std::move(id)), title_(std::move(title)) {}
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  virtual ~Peer() = default;

  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const std::string& title() const { return title_; }

  // Why it cannot be measured here at all; empty: it can.
  [[nodiscard]] virtual std::string missing() const { return ""; }
  // Why it cannot run this workload; empty: it can.
  [[nodiscard]] virtual std::string cannot_run(const Workload& workload) const = 0;
  [[nodiscard]] virtual base::Result<std::unique_ptr<PlannedRun>> plan(const Workload& workload) = 0;

  // For a peer that prepares cells ahead of the runs. None of it is on a latency's clock; the CPU time is counted.
  // Waits until `cells` of the kind that serves this workload are waiting.
  [[nodiscard]] virtual base::Status make_ready(const Workload& /*workload*/, std::uint32_t /*cells*/) { return {}; }
  // Waits until nothing of an earlier run goes on behind the scenes.
  virtual void settle() {}
  [[nodiscard]] virtual std::optional<engine::PoolMetrics> pool() const { return std::nullopt; }
  // How many ask at the same time in the sustained mode.
  [[nodiscard]] virtual unsigned load_workers(unsigned processors) const { return processors; }

 private:
  std::string id_;
  std::string title_;
};

struct TimedRun {
  std::chrono::steady_clock::time_point start;
  std::chrono::steady_clock::time_point end;
  Verdict verdict;

  [[nodiscard]] double ms() const { return base::to_ms(end - start); }
};

// plan, execute, verdict; a run that could not be planned has its reason as problem.
[[nodiscard]] TimedRun time_run(Peer& peer, const Workload& workload);
[[nodiscard]] TimedRun time_planned(PlannedRun& run);

}  // namespace glovebox::bench

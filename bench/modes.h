// The ways of asking for runs. Each takes the peers in turns, so that noise of the machine hits all alike.
//
//   sequential  one run at a time; in every round each peer has one run, in rotating order. Latency of a machine that
//   is
//               otherwise idle. A warm cell is waiting for each warm run, because the pool had time.
//   staggered   runs arrive at a fixed rate that keeps the bare interpreter at 40 % load; latency counts from the
//   moment
//               when a run should have started, so waiting in line is in it.
//   burst       many runs at the same moment; what counts is when the last one has ended.
//   sustained   as many workers as cores, each starting the next run when the last has ended. The clock of a peer with
//   a
//               pool stops only when as many cells wait as at its start, so that nothing is borrowed from stock.
//   policy      deciding on a program of 50 lines, by itself.
//   memory      what a waiting warm cell holds that no other process shares.
//   endurance   very many warm runs; memory, descriptors, groups and mounts must not grow.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "bench/options.h"
#include "bench/peer.h"
#include "bench/report.h"
#include "runner/runner.h"

namespace glovebox::bench {

// Told now and then what is being done and how far it is; never on a clock.
using Progress = std::function<void(const std::string& what, std::size_t done, std::size_t total)>;

struct Session {
  const Options& options;
  std::vector<Peer*> peers;                     // that are there and were asked for
  std::vector<const Workload*> workloads;       // of the sequential mode
  std::vector<const Workload*> load_workloads;  // of the modes that put the machine under load
  runner::Runner* warm_runner = nullptr;        // of the peer "warm", if it is there
  Progress progress;
  Report& report;

  // Somebody has had enough: end soon, after the runs that are going on.
  [[nodiscard]] bool stopped() const { return options.stop != nullptr && options.stop->load(); }
  [[nodiscard]] unsigned workers() const { return report.machine.cores; }
  // The peers that can run it; the others are noted as left out.
  [[nodiscard]] std::vector<Peer*> able_peers(const char* mode, const Workload& workload) const;
  void leave_out(const char* mode, const Workload& workload, const Peer& peer, std::string reason) const;
};

void measure_memory(Session& session);
void measure_policy(Session& session);
void measure_sequential(Session& session);
void measure_staggered(Session& session);
void measure_burst(Session& session);
void measure_sustained(Session& session);
void measure_endurance(Session& session);

// What must not have grown. Reserves (of emptied groups, say) go up and down, a leak only goes up: so the least of the
// last three samples is held against the most of the first two.
[[nodiscard]] std::vector<FlatFigure> flat_figures(const std::vector<ResourceSample>& samples);

// A whole command and the interpreter without `site` are there to explain latencies; under load they tell nothing new.
[[nodiscard]] bool takes_load(const Peer& peer);
// The quickest of a few runs, to choose rates by.
[[nodiscard]] double typical_ms(Peer& peer, const Workload& workload);
void count(Tally& tally, const Verdict& verdict);

// Collects what the runs of one row had to say. Not for concurrent use.
class Samples {
 public:
  void add(const TimedRun& run) { add(run, run.ms()); }
  // For a latency that counts from another moment than the run's own start.
  void add(const TimedRun& run, double ms);
  void add(const Samples& other);

  [[nodiscard]] const Tally& tally() const { return tally_; }
  [[nodiscard]] std::size_t successes() const { return ms_.size(); }
  [[nodiscard]] Summary latency() const { return summarize(ms_); }
  [[nodiscard]] std::map<std::string, double> stage_medians() const;

 private:
  std::vector<double> ms_;
  std::map<std::string, std::vector<double>> stages_;
  Tally tally_;
};

}  // namespace glovebox::bench

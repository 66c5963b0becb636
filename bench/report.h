// Everything that one run of the benchmark has found, as plain values. report_text, report_json and report_svg print
// it; bars judges it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/machine.h"
#include "bench/resources.h"
#include "bench/statistics.h"
#include "engine/pool/pool_metrics.h"

namespace glovebox::bench {

// Failed runs are not in the latencies; they are counted, and the first of them is told.
struct Tally {
  std::size_t failures = 0;
  std::string first_problem;
  std::size_t warm_runs = 0;  // of the successful ones
};

// One workload on one peer, run by run.
struct LatencyRow {
  std::string workload;
  std::string peer;
  Summary latency_ms;
  Tally tally;
  std::optional<double> cpu_ms_per_run;         // of the whole machine, with everything that happened behind the run
  std::optional<double> refill_cpu_ms_per_run;  // the share of it that making the next warm cell took
  std::map<std::string, double> stages_ms;      // medians
};

// Arrivals at a fixed rate; the latency counts from the moment when a run should have started.
struct StaggeredRow {
  LatencyRow row;
  double interval_ms = 0;
};

struct BurstRow {
  std::string workload;
  std::string peer;
  std::size_t size = 0;
  std::size_t repeats = 0;
  double last_end_ms = 0;  // median over the repeats
  Summary latency_ms;      // of all runs, from the common start
  Tally tally;
};

struct SustainedRow {
  std::string workload;
  std::string peer;
  unsigned workers = 0;
  std::size_t runs = 0;
  double seconds = 0;
  double runs_per_s = 0;
  double cpu_ms_per_run = 0;
  Tally tally;
};

// What a waiting cell costs.
struct MemoryRow {
  std::string workload;
  std::string kind;  // the pool's name for it
  std::uint32_t idle_cells = 0;
  std::uint64_t pool_bytes = 0;  // private memory of one cell as the pool measured it
  std::optional<std::uint64_t>
      measured_bytes;  // as the benchmark did: growth of all processes' private memory per cell
  std::uint64_t zygote_bytes = 0;
};

// What deciding on a program of 50 lines costs.
struct PolicyRow {
  std::string profile;
  std::string language;  // of the program
  Summary us;
  std::size_t wrong = 0;  // decisions that were not the right one
};

struct FlatFigure {
  std::string name;
  double settled = 0;  // the most that was seen in the first fifth of the runs
  double end = 0;      // the least that was seen towards the end
  double allowed = 0;
  [[nodiscard]] bool flat() const { return end <= allowed; }
};

struct EnduranceReport {
  std::string workload;
  std::size_t runs = 0;
  double seconds = 0;
  Tally tally;
  std::vector<ResourceSample> samples;
  std::vector<FlatFigure> figures;
};

enum class BarVerdict { pass, miss, not_measured };

struct Bar {
  std::string id;
  std::string promise;  // a sentence
  std::string limit;    // "≤ 0.06 ×"
  std::string measured;
  BarVerdict verdict = BarVerdict::not_measured;
};

struct PeerEntry {
  std::string id;
  std::string title;
  std::string missing;  // empty: it was measured
};

struct WorkloadEntry {
  std::string id;
  std::string title;
};

// A combination that was left out, and why.
struct LeftOut {
  std::string mode;
  std::string workload;
  std::string peer;
  std::string reason;
};

struct Report {
  std::string version;
  std::string started;  // ISO 8601, UTC
  std::string command;
  MachineFacts machine;
  double background_busy_percent = 0;  // of all cores, before anything was measured
  std::vector<PeerEntry> peers;
  std::vector<WorkloadEntry> workloads;
  std::vector<LeftOut> left_out;
  std::vector<LatencyRow> sequential;
  std::vector<StaggeredRow> staggered;
  std::vector<BurstRow> burst;
  std::vector<SustainedRow> sustained;
  std::vector<MemoryRow> memory;
  std::vector<PolicyRow> policy;
  std::optional<EnduranceReport> endurance;
  std::optional<engine::PoolMetrics> pool;
  std::vector<Bar> bars;

  [[nodiscard]] const LatencyRow* sequential_row(const std::string& workload, const std::string& peer) const;
  [[nodiscard]] const BurstRow* burst_row(const std::string& workload, const std::string& peer) const;
  [[nodiscard]] const SustainedRow* sustained_row(const std::string& workload, const std::string& peer) const;
  [[nodiscard]] std::string title_of_peer(const std::string& id) const;
  [[nodiscard]] std::string title_of_workload(const std::string& id) const;
};

// Every figure relative to a peer of the same run: "sequential/print/warm/p50" is warm's p50 over bare's,
// "sustained/print/warm" warm's runs per second over bare's, "burst/print/warm" warm's last end over bubblewrap's. What
// a regression guard compares, because absolute times belong to one machine and one minute.
[[nodiscard]] std::map<std::string, double> ratios(const Report& report);

}  // namespace glovebox::bench

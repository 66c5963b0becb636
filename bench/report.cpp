#include "bench/report.h"

#include <algorithm>

namespace glovebox::bench {
namespace {

template <typename Row>
const Row* find_row(const std::vector<Row>& rows, const std::string& workload, const std::string& peer) {
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const Row& row) { return row.workload == workload && row.peer == peer; });
  return found == rows.end() ? nullptr : &*found;
}

template <typename Entry>
std::string title_of(const std::vector<Entry>& entries, const std::string& id) {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.id == id; });
  return found == entries.end() ? id : found->title;
}

void add_ratio(std::map<std::string, double>& all, const std::string& name, double value, double reference) {
  if (value > 0 && reference > 0) {
    all[name] = value / reference;
  }
}

}  // namespace

const LatencyRow* Report::sequential_row(const std::string& workload, const std::string& peer) const {
  return find_row(sequential, workload, peer);
}

const BurstRow* Report::burst_row(const std::string& workload, const std::string& peer) const {
  return find_row(burst, workload, peer);
}

const SustainedRow* Report::sustained_row(const std::string& workload, const std::string& peer) const {
  return find_row(sustained, workload, peer);
}

std::string Report::title_of_peer(const std::string& id) const { return title_of(peers, id); }
std::string Report::title_of_workload(const std::string& id) const { return title_of(workloads, id); }

std::map<std::string, double> ratios(const Report& report) {
  std::map<std::string, double> all;
  for (const LatencyRow& row : report.sequential) {
    const LatencyRow* bare = report.sequential_row(row.workload, "bare");
    if (bare == nullptr || row.peer == "bare") {
      continue;
    }
    const std::string name = "sequential/" + row.workload + "/" + row.peer + "/";
    add_ratio(all, name + "p50", row.latency_ms.p50, bare->latency_ms.p50);
    add_ratio(all, name + "p99", row.latency_ms.p99, bare->latency_ms.p99);
    // What the wall costs beside what bubblewrap's costs. A cold cell starts Python without its `site` step, so that is
    // what its own extra is counted from: over plain bare the difference would hide it.
    const LatencyRow* without_site = report.sequential_row(row.workload, "bare-s");
    const LatencyRow* bubblewrap = report.sequential_row(row.workload, "bubblewrap");
    if (without_site != nullptr && bubblewrap != nullptr && (row.peer == "cold" || row.peer == "command")) {
      add_ratio(all, name + "extra", row.latency_ms.p50 - without_site->latency_ms.p50,
                bubblewrap->latency_ms.p50 - bare->latency_ms.p50);
    }
    if (row.cpu_ms_per_run && bare->cpu_ms_per_run) {
      add_ratio(all, name + "cpu", *row.cpu_ms_per_run, *bare->cpu_ms_per_run);
    }
  }
  for (const StaggeredRow& staggered : report.staggered) {
    const LatencyRow& row = staggered.row;
    for (const StaggeredRow& other : report.staggered) {
      if (other.row.peer == "bare" && other.row.workload == row.workload && row.peer != "bare") {
        add_ratio(all, "staggered/" + row.workload + "/" + row.peer + "/p50", row.latency_ms.p50,
                  other.row.latency_ms.p50);
      }
    }
  }
  for (const BurstRow& row : report.burst) {
    const BurstRow* bubblewrap = report.burst_row(row.workload, "bubblewrap");
    if (bubblewrap != nullptr && row.peer != "bubblewrap") {
      add_ratio(all, "burst/" + row.workload + "/" + row.peer, row.last_end_ms, bubblewrap->last_end_ms);
    }
  }
  for (const SustainedRow& row : report.sustained) {
    const SustainedRow* bare = report.sustained_row(row.workload, "bare");
    if (bare != nullptr && row.peer != "bare") {
      add_ratio(all, "sustained/" + row.workload + "/" + row.peer, row.runs_per_s, bare->runs_per_s);
    }
  }
  return all;
}

}  // namespace glovebox::bench

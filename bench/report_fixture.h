// A small report with one of everything, for tests.
#pragma once

#include "bench/report.h"

namespace glovebox::bench {

inline LatencyRow latency_row(const char* workload, const char* peer, std::vector<double> ms) {
  LatencyRow row;
  row.workload = workload;
  row.peer = peer;
  row.latency_ms = summarize(std::move(ms));
  row.cpu_ms_per_run = row.latency_ms.p50;
  return row;
}

inline Report small_report() {
  Report report;
  report.version = "0.0.0";
  report.started = "2026-01-01T00:00:00Z";
  report.machine.cores = 2;
  report.machine.cpu = "Test <CPU> & \"Co\"";
  report.peers = {{"bare", "bare interpreter", ""},
                  {"bubblewrap", "bubblewrap", ""},
                  {"runc", "runc", "runc is not installed"},
                  {"cold", "glovebox cold", ""},
                  {"warm", "glovebox warm", ""}};
  report.workloads = {{"print", "Python print"}, {"pandas", "pandas group-by"}, {"pass", "Python that does nothing"}};
  report.sequential = {
      latency_row("print", "bare", {10, 10, 11}),      latency_row("print", "bubblewrap", {14, 15, 16}),
      latency_row("print", "cold", {10, 11, 12}),      latency_row("print", "warm", {0.4, 0.5, 0.6}),
      latency_row("pandas", "bare", {400, 400, 400}),  latency_row("pandas", "warm", {4, 4, 4}),
      latency_row("pass", "bare", {10, 10, 11}),       latency_row("pass", "bare-s", {7, 8, 9}),
      latency_row("pass", "bubblewrap", {14, 15, 16}), latency_row("pass", "cold", {10, 11, 12})};
  report.staggered = {{latency_row("print", "bare", {12, 12}), 15}, {latency_row("print", "warm", {0.6, 0.6}), 15}};
  report.burst = {{"print", "bubblewrap", 100, 3, 800, summarize({400, 800}), {}},
                  {"print", "warm", 100, 3, 400, summarize({100, 400}), {}}};
  report.sustained = {{"print", "bare", 2, 300, 3, 100, 14, {}}, {"print", "warm", 2, 2100, 3, 700, 2, {}}};
  MemoryRow memory;
  memory.workload = "pandas";
  memory.kind = "python/data";
  memory.pool_bytes = 4 << 20;
  memory.measured_bytes = 5 << 20;
  report.memory = {memory};
  PolicyRow policy;
  policy.profile = "sandboxed_python";
  policy.language = "python";
  policy.us.runs = 300;
  policy.us.p50 = 70;
  policy.us.p99 = 120;
  report.policy = {policy};
  EnduranceReport endurance;
  endurance.workload = "print";
  endurance.runs = 1000;
  endurance.samples.resize(10);
  endurance.figures = {{"control groups", 8, 8, 12}};
  report.endurance = endurance;
  report.left_out = {{"sequential", "pandas", "pyodide", "the npm package does not contain pandas"}};
  return report;
}

}  // namespace glovebox::bench

#include "bench/report_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"

namespace glovebox::bench {
namespace {

// fmt counts bytes of UTF-8 as it should count columns; titles are ASCII, so padding by fmt is right.
constexpr std::string_view kLatencyHead = "  {:<20}{:>7}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}\n";

std::string times(double value, double reference) {
  if (reference <= 0 || value <= 0) {
    return "";
  }
  const double ratio = value / reference;
  return ratio >= 10  ? fmt::format("{:.0f} x", ratio)
         : ratio >= 1 ? fmt::format("{:.2f} x", ratio)
                      : fmt::format("{:.3f} x", ratio);
}

std::string problems(const std::string& title, const Tally& tally, std::size_t runs) {
  std::string text;
  if (tally.failures > 0) {
    text += fmt::format("  !! {}: {} runs FAILED of {}; the first: {}\n", title, tally.failures, tally.failures + runs,
                        tally.first_problem);
  }
  return text;
}

std::string warm_share(const std::string& peer, const std::string& title, const Tally& tally, std::size_t runs) {
  if (peer != "warm" || runs == 0 || tally.warm_runs == runs) {
    return "";
  }
  return fmt::format("  !  {}: {} of {} runs found a warm cell, the others were built cold\n", title, tally.warm_runs,
                     runs);
}

std::string head(const Report& report) {
  std::string text = fmt::format("glovebox bench · {} · {} cores{}{} · {} · {} · {}\n", report.version,
                                 report.machine.cores, report.machine.cpu.empty() ? "" : " of ", report.machine.cpu,
                                 base::format_size(report.machine.memory_bytes), report.machine.kernel, report.started);
  if (!report.machine.root) {
    text += "as an ordinary user\n";
  }
  text += fmt::format("background load before the start: {:.0f} % of all cores\n", report.background_busy_percent);
  constexpr double kNoisy = 10;
  if (report.background_busy_percent > kNoisy) {
    text += "!! The machine was not quiet; tails and CPU times are those of the neighbours too.\n";
  }
  for (const PeerEntry& peer : report.peers) {
    if (!peer.missing.empty()) {
      text += fmt::format("!! MISSING: {} was not measured: {}\n", peer.title, peer.missing);
    }
  }
  return text;
}

std::string sequential_text(const Report& report) {
  std::string text;
  bool few = false;
  for (const WorkloadEntry& workload : report.workloads) {
    const LatencyRow* bare = report.sequential_row(workload.id, "bare");
    std::string rows;
    std::string notes;
    for (const LatencyRow& row : report.sequential) {
      if (row.workload != workload.id) {
        continue;
      }
      const Summary& ms = row.latency_ms;
      few = few || ms.runs < 1000;
      const std::string title = report.title_of_peer(row.peer);
      rows +=
          fmt::format(fmt::runtime(kLatencyHead), title, ms.runs, short_ms(ms.p50), short_ms(ms.p95), short_ms(ms.p99),
                      short_ms(ms.p999), row.cpu_ms_per_run ? fmt::format("{:.2f}", *row.cpu_ms_per_run) : "",
                      bare == nullptr ? "" : times(ms.p50, bare->latency_ms.p50));
      notes += problems(title, row.tally, ms.runs) + warm_share(row.peer, title, row.tally, ms.runs);
      if (row.refill_cpu_ms_per_run && *row.refill_cpu_ms_per_run > 0) {
        notes += fmt::format("     of the CPU time of {}, {:.2f} ms went into the cell for the next run\n", title,
                             *row.refill_cpu_ms_per_run);
      }
      if (!row.stages_ms.empty() && workload.id == "print") {
        notes += "     " + title + ", median ms:";
        for (const auto& [stage, spent] : row.stages_ms) {
          notes += fmt::format(" {} {:.2f}", stage, spent);
        }
        notes += "\n";
      }
    }
    if (!rows.empty()) {
      text += "\n" + fmt::format(fmt::runtime(kLatencyHead), workload.title, "runs", "p50 ms", "p95", "p99", "p99.9",
                                 "CPU ms", "p50/bare");
      text += rows + notes;
    }
  }
  if (text.empty()) {
    return "";
  }
  return "\nSEQUENTIAL: one run at a time, peers in turns\n" + text +
         "\n  CPU ms: busy time of the whole machine per run, with launcher, zygote and the making of the next cell\n" +
         (few ? "  with fewer than 1000 runs p99.9 is the slowest run\n" : "");
}

std::string staggered_text(const Report& report) {
  constexpr std::string_view kRow = "  {:<20}{:>7}{:>10}{:>10}{:>10}{:>10}\n";
  std::string text;
  std::string workload;
  for (const StaggeredRow& staggered : report.staggered) {
    const LatencyRow& row = staggered.row;
    if (workload != row.workload) {
      workload = row.workload;
      text += "\n" + fmt::format(fmt::runtime(kRow), report.title_of_workload(workload), "runs", "p50 ms", "p95", "p99",
                                 "p99.9");
    }
    const Summary& ms = row.latency_ms;
    const std::string title = report.title_of_peer(row.peer);
    text += fmt::format(fmt::runtime(kRow), title, ms.runs, short_ms(ms.p50), short_ms(ms.p95), short_ms(ms.p99),
                        short_ms(ms.p999));
    text += problems(title, row.tally, ms.runs) + warm_share(row.peer, title, row.tally, ms.runs);
  }
  if (text.empty()) {
    return "";
  }
  return fmt::format("\nSTAGGERED: a run every {:.1f} ms, latency with the waiting in line\n",
                     report.staggered.front().interval_ms) +
         text;
}

std::string burst_text(const Report& report) {
  std::string text;
  std::string workload;
  for (const BurstRow& row : report.burst) {
    if (workload != row.workload) {
      workload = row.workload;
      text += fmt::format("\n  {:<20}{:>10}{:>10}{:>14}{:>10}\n", report.title_of_workload(workload), "p50 ms", "p99",
                          "last ends ms", "failed");
    }
    const std::string title = report.title_of_peer(row.peer);
    text += fmt::format("  {:<20}{:>10}{:>10}{:>14}{:>10}\n", title, short_ms(row.latency_ms.p50),
                        short_ms(row.latency_ms.p99), short_ms(row.last_end_ms), row.tally.failures);
    text += problems(title, row.tally, row.latency_ms.runs);
    if (row.peer == "warm") {
      text += fmt::format("     {} of {} runs found a warm cell\n", row.tally.warm_runs, row.latency_ms.runs);
    }
  }
  return text.empty() ? ""
                      : fmt::format("\nBURST: {} runs at the same moment; the last end is a median (bursts: {})\n",
                                    report.burst.front().size, report.burst.front().repeats) +
                            text;
}

std::string sustained_text(const Report& report) {
  std::string text;
  std::string workload;
  for (const SustainedRow& row : report.sustained) {
    const SustainedRow* bare = report.sustained_row(row.workload, "bare");
    if (workload != row.workload) {
      workload = row.workload;
      text += fmt::format("\n  {:<20}{:>7}{:>10}{:>10}{:>12}\n", report.title_of_workload(workload), "runs", "runs/s",
                          "CPU ms", "to bare");
    }
    const std::string title = report.title_of_peer(row.peer);
    text += fmt::format("  {:<20}{:>7}{:>10.1f}{:>10.2f}{:>12}\n", title, row.runs, row.runs_per_s, row.cpu_ms_per_run,
                        bare == nullptr ? "" : times(row.runs_per_s, bare->runs_per_s));
    text += problems(title, row.tally, row.runs) + warm_share(row.peer, title, row.tally, row.runs);
  }
  return text.empty() ? ""
                      : fmt::format("\nSUSTAINED: {} workers without a pause; refill is on the clock\n",
                                    report.sustained.front().workers) +
                            text;
}

std::string memory_text(const Report& report) {
  std::string text;
  for (const MemoryRow& row : report.memory) {
    text += fmt::format("  {:<20}{:>14}{:>14}{:>14}   {}\n", report.title_of_workload(row.workload),
                        row.measured_bytes ? base::format_size(*row.measured_bytes) : "?",
                        row.pool_bytes == 0 ? "?" : base::format_size(row.pool_bytes),
                        row.zygote_bytes == 0 ? "" : base::format_size(row.zygote_bytes), row.kind);
  }
  return text.empty()
             ? ""
             : "\nMEMORY: private memory of one waiting warm cell\n\n" +
                   fmt::format("  {:<20}{:>14}{:>14}{:>14}   {}\n", "", "measured", "pool says", "zygote", "kind") +
                   text;
}

std::string policy_text(const Report& report) {
  std::string text;
  for (const PolicyRow& row : report.policy) {
    text += fmt::format("  {:<20}{:<12}{:>12.1f}{:>12.1f}{}\n", row.profile, row.language, row.us.p50, row.us.p99,
                        row.wrong == 0 ? "" : fmt::format("   !! {} decisions were WRONG", row.wrong));
  }
  return text.empty() ? ""
                      : "\nPOLICY: deciding on a program of 50 lines, reading included\n\n" +
                            fmt::format("  {:<20}{:<12}{:>12}{:>12}\n", "", "", "p50 us", "p99") + text;
}

std::string endurance_text(const Report& report) {
  if (!report.endurance) {
    return "";
  }
  const EnduranceReport& endurance = *report.endurance;
  std::string text = fmt::format("\nENDURANCE: {} runs in {:.0f} s, {} failed, {} warm\n\n  {:<34}{:>14}{:>14}{:>14}\n",
                                 endurance.runs, endurance.seconds, endurance.tally.failures, endurance.tally.warm_runs,
                                 "", "at first", "at the end", "allowed");
  for (const FlatFigure& figure : endurance.figures) {
    text += fmt::format("  {:<34}{:>14.0f}{:>14.0f}{:>14.0f}   {}\n", figure.name, figure.settled, figure.end,
                        figure.allowed, figure.flat() ? "flat" : "GROWN");
  }
  if (!endurance.tally.first_problem.empty()) {
    text += "  !! the first failure: " + endurance.tally.first_problem + "\n";
  }
  return text;
}

// One line per reason, with all workloads that it holds for.
std::string left_out_text(const Report& report) {
  std::vector<std::pair<std::string, std::string>> lines;  // what, workloads
  for (const LeftOut& out : report.left_out) {
    const std::string what = fmt::format("{}, {}: {}", out.mode, report.title_of_peer(out.peer), out.reason);
    const auto same = std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.first == what; });
    if (same != lines.end()) {
      same->second += ", " + out.workload;
    } else {
      lines.emplace_back(what, out.workload);
    }
  }
  std::string text;
  for (const auto& [what, workloads] : lines) {
    text += fmt::format("  {} ({})\n", what, workloads);
  }
  return text.empty() ? "" : "\nLEFT OUT\n\n" + text;
}

}  // namespace

std::string short_ms(double ms) {
  if (ms <= 0) {
    return "-";
  }
  if (ms >= 1000) {
    const auto whole = static_cast<std::uint64_t>(ms + 0.5);
    return fmt::format("{},{:03}", whole / 1000, whole % 1000);
  }
  return ms >= 100  ? fmt::format("{:.0f}", ms)
         : ms >= 10 ? fmt::format("{:.1f}", ms)
         : ms >= 1  ? fmt::format("{:.2f}", ms)
                    : fmt::format("{:.3f}", ms);
}

std::string bars_text(const std::vector<Bar>& bars) {
  std::string text = "\nBARS\n\n";
  for (const Bar& bar : bars) {
    const char* mark = bar.verdict == BarVerdict::pass ? "pass" : bar.verdict == BarVerdict::miss ? "MISS" : "-   ";
    const char* measured = bar.verdict == BarVerdict::not_measured ? "" : "measured ";
    text += fmt::format("  {}  {}\n        bar {}, {}{}\n", mark, bar.promise, bar.limit, measured, bar.measured);
  }
  return text;
}

std::string report_text(const Report& report) {
  return head(report) + sequential_text(report) + staggered_text(report) + burst_text(report) + sustained_text(report) +
         memory_text(report) + policy_text(report) + endurance_text(report) + left_out_text(report);
}

}  // namespace glovebox::bench

#include "bench/bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/units.h"

namespace glovebox::bench {
namespace {

constexpr double kColdExtraMs = 3;
constexpr double kPolicyUs = 300;
constexpr std::uint64_t kIdleCellBytes = 6ULL << 20U;

Bar unmeasured(std::string id, std::string promise, std::string limit) {
  return {std::move(id), std::move(promise), std::move(limit), "not measured", BarVerdict::not_measured};
}

BarVerdict verdict(bool holds) { return holds ? BarVerdict::pass : BarVerdict::miss; }

bool measured(const LatencyRow* row) { return row != nullptr && row->latency_ms.runs > 0; }

// A percentile of one peer over the bare interpreter's median: the stricter reading for tails.
Bar latency_bar(const Report& report, std::string id, const char* workload, const char* what,
                double Summary::*percentile, double limit) {
  Bar bar = unmeasured(std::move(id), what, fmt::format("≤ {:g} × bare p50", limit));
  const LatencyRow* warm = report.sequential_row(workload, "warm");
  const LatencyRow* bare = report.sequential_row(workload, "bare");
  if (measured(warm) && measured(bare)) {
    const double ratio = warm->latency_ms.*percentile / bare->latency_ms.p50;
    bar.measured =
        fmt::format("{:.4f} × ({:.3f} of {:.2f} ms)", ratio, warm->latency_ms.*percentile, bare->latency_ms.p50);
    bar.verdict = verdict(ratio <= limit);
  }
  return bar;
}

// Both halves of the promise have to be measured to hold; one of them is enough to miss it.
Bar cold_bar(const Report& report, const char* peer, const char* what) {
  Bar bar =
      unmeasured(std::string(peer) + "-extra", what, fmt::format("≤ {:g} ms, less than bubblewrap", kColdExtraMs));
  const LatencyRow* row = report.sequential_row("pass", peer);
  const LatencyRow* bare = report.sequential_row("pass", "bare");
  const LatencyRow* bubblewrap = report.sequential_row("pass", "bubblewrap");
  if (!measured(row) || !measured(bare)) {
    return bar;
  }
  const double extra = row->latency_ms.p50 - bare->latency_ms.p50;
  const bool small = extra <= kColdExtraMs;
  if (!measured(bubblewrap)) {
    bar.measured = fmt::format("{:+.2f} ms; bubblewrap was not measured", extra);
    bar.verdict = small ? BarVerdict::not_measured : BarVerdict::miss;
    return bar;
  }
  const double theirs = bubblewrap->latency_ms.p50 - bare->latency_ms.p50;
  bar.measured = fmt::format("{:+.2f} ms (bubblewrap {:+.2f} ms)", extra, theirs);
  bar.verdict = verdict(small && extra < theirs);
  return bar;
}

Bar sustained_bar(const Report& report) {
  constexpr double kTimes = 6;
  Bar bar = unmeasured("print-sustained", "print runs per second on all cores, refill counted", "≥ 6 × bare");
  const SustainedRow* warm = report.sustained_row("print", "warm");
  const SustainedRow* bare = report.sustained_row("print", "bare");
  if (warm != nullptr && bare != nullptr && bare->runs_per_s > 0) {
    const double times = warm->runs_per_s / bare->runs_per_s;
    bar.measured = fmt::format("{:.2f} × ({:.0f} of {:.0f} per s)", times, warm->runs_per_s, bare->runs_per_s);
    bar.verdict = verdict(times >= kTimes);
  }
  return bar;
}

Bar http_extra_bar(const Report& report) {
  constexpr double kExtraMs = 0.4;
  Bar bar = unmeasured("http-extra", "what HTTP and the record add to a warm print, p50", "≤ 0.4 ms");
  const LatencyRow* http = report.sequential_row("print", "http");
  const LatencyRow* recorded = report.sequential_row("print", "recorded");
  const LatencyRow* warm = report.sequential_row("print", "warm");
  if (measured(http) && measured(warm)) {
    const double extra = http->latency_ms.p50 - warm->latency_ms.p50;
    bar.measured = fmt::format("{:+.3f} ms ({:.3f} over {:.3f})", extra, http->latency_ms.p50, warm->latency_ms.p50);
    if (measured(recorded)) {
      bar.measured += fmt::format("; HTTP alone {:+.3f} ms", http->latency_ms.p50 - recorded->latency_ms.p50);
    }
    bar.verdict = verdict(extra <= kExtraMs);
  }
  return bar;
}

Bar http_sustained_bar(const Report& report) {
  constexpr double kShare = 0.8;
  Bar bar = unmeasured("http-sustained", "print runs per second over 32 connections", "≥ 0.8 × the library's");
  const SustainedRow* http = report.sustained_row("print", "http");
  const SustainedRow* warm = report.sustained_row("print", "warm");
  if (http != nullptr && warm != nullptr && warm->runs_per_s > 0) {
    const double share = http->runs_per_s / warm->runs_per_s;
    bar.measured = fmt::format("{:.2f} × ({:.0f} of {:.0f} per s)", share, http->runs_per_s, warm->runs_per_s);
    bar.verdict = verdict(share >= kShare);
  }
  return bar;
}

Bar burst_bar(const Report& report) {
  Bar bar = unmeasured("burst", "a burst: all succeed, and the last ends before bubblewrap's last", "< 1 × bubblewrap");
  const BurstRow* warm = report.burst_row("print", "warm");
  const BurstRow* bubblewrap = report.burst_row("print", "bubblewrap");
  if (warm != nullptr && bubblewrap != nullptr && bubblewrap->last_end_ms > 0) {
    bar.measured =
        fmt::format("{:.2f} × ({:.0f} of {:.0f} ms), {} of {} failed", warm->last_end_ms / bubblewrap->last_end_ms,
                    warm->last_end_ms, bubblewrap->last_end_ms, warm->tally.failures, warm->size * warm->repeats);
    bar.verdict = verdict(warm->tally.failures == 0 && warm->last_end_ms < bubblewrap->last_end_ms);
  }
  return bar;
}

Bar memory_bar(const Report& report) {
  Bar bar = unmeasured("idle-memory", "private memory of a waiting warm pandas cell",
                       "≤ " + base::format_size(kIdleCellBytes));
  for (const MemoryRow& row : report.memory) {
    if (row.workload == "pandas") {
      // The pool's figure and ours must both hold; where the kernel does not let us look there is only one.
      const std::uint64_t larger = std::max(row.pool_bytes, row.measured_bytes.value_or(0));
      bar.measured = larger == 0 ? "not measured" : base::format_size(larger);
      bar.verdict = larger == 0 ? BarVerdict::not_measured : verdict(larger <= kIdleCellBytes);
    }
  }
  return bar;
}

Bar policy_bar(const Report& report) {
  Bar bar = unmeasured("policy", "deciding on a program of 50 lines, p50", fmt::format("≤ {:g} us", kPolicyUs));
  for (const PolicyRow& row : report.policy) {
    if (row.profile == "sandboxed_python") {
      bar.measured = fmt::format("{:.1f} us", row.us.p50);
      bar.verdict = verdict(row.us.runs > 0 && row.us.p50 <= kPolicyUs && row.wrong == 0);
    }
  }
  return bar;
}

Bar endurance_bar(const Report& report) {
  Bar bar = unmeasured("endurance", "very many runs in a row leave nothing behind", "flat");
  if (report.endurance) {
    std::string grown;
    for (const FlatFigure& figure : report.endurance->figures) {
      if (!figure.flat()) {
        grown += (grown.empty() ? "" : ", ") + figure.name;
      }
    }
    bar.measured = fmt::format("{} runs, {} failed, {}", report.endurance->runs, report.endurance->tally.failures,
                               grown.empty() ? "flat" : "grown: " + grown);
    bar.verdict = verdict(grown.empty() && report.endurance->tally.failures == 0);
  }
  return bar;
}

bool is_ours(const std::string& peer) { return peer == "warm" || peer == "cold" || peer == "command"; }

Bar answers_bar(const Report& report) {
  Bar bar = unmeasured("answers", "every run in Glovebox gives the right answer", "0 failures");
  std::size_t failures = 0;
  std::size_t rows = 0;
  std::string first;
  const auto add = [&](const std::string& peer, const Tally& tally) {
    if (is_ours(peer)) {
      ++rows;
      failures += tally.failures;
      first = first.empty() ? tally.first_problem : first;
    }
  };
  for (const LatencyRow& row : report.sequential) {
    add(row.peer, row.tally);
  }
  for (const StaggeredRow& row : report.staggered) {
    add(row.row.peer, row.row.tally);
  }
  for (const BurstRow& row : report.burst) {
    add(row.peer, row.tally);
  }
  for (const SustainedRow& row : report.sustained) {
    add(row.peer, row.tally);
  }
  for (const PeerEntry& peer : report.peers) {
    if (is_ours(peer.id) && !peer.missing.empty()) {  // nothing to measure is nothing to be proud of
      bar.measured = peer.title + " is missing: " + peer.missing;
      bar.verdict = BarVerdict::miss;
      return bar;
    }
  }
  if (rows > 0) {
    bar.measured = fmt::format("{} failures{}", failures, first.empty() ? "" : ", first: " + first);
    bar.verdict = verdict(failures == 0);
  }
  return bar;
}

}  // namespace

std::vector<Bar> judge(const Report& report) {
  return {
      latency_bar(report, "print-p50", "print", "Python print, warm, p50", &Summary::p50, 0.06),
      latency_bar(report, "print-p99", "print", "Python print, warm, p99", &Summary::p99, 0.3),
      latency_bar(report, "pandas-p50", "pandas", "pandas group-by, warm, p50 (bare has to import it)", &Summary::p50,
                  0.015),
      latency_bar(report, "javascript-p50", "javascript", "JavaScript print, warm, p50", &Summary::p50, 0.10),
      sustained_bar(report),
      http_extra_bar(report),
      http_sustained_bar(report),
      burst_bar(report),
      memory_bar(report),
      policy_bar(report),
      endurance_bar(report),
      cold_bar(report, "cold", "extra cost of a cold run over bare `python3 -c pass`, p50"),
      cold_bar(report, "command", "extra cost of the whole `glovebox run -c pass`, p50"),
      answers_bar(report),
  };
}

bool any_missed(const std::vector<Bar>& bars) {
  return std::any_of(bars.begin(), bars.end(), [](const Bar& bar) { return bar.verdict == BarVerdict::miss; });
}

}  // namespace glovebox::bench

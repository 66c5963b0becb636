#include "runner/verdict.h"

#include <fmt/format.h>

#include <csignal>

#include "base/units.h"
#include "runner/refusal_blame.h"

namespace glovebox::runner {
namespace {

using base::ErrorCode;
using base::format_duration_ms;
using base::format_size;
using contract::Outcome;

bool contains(const std::optional<contract::RunError>& error, std::string_view text) {
  return error && error->message.find(text) != std::string::npos;
}

Judgement limit(Outcome outcome, ErrorCode code, std::string message) { return {outcome, code, std::move(message)}; }

Judgement memory_limit(const contract::Limits& limits) {
  return limit(Outcome::memory_limit, ErrorCode::memory_limit,
               fmt::format("the program needed more than {} of memory", format_size(limits.memory_bytes)));
}

Judgement process_limit(const contract::Limits& limits) {
  return limit(Outcome::process_limit, ErrorCode::process_limit,
               fmt::format("the program wanted more than {} processes and threads", limits.processes));
}

Judgement cpu_limit(const contract::Limits& limits) {
  return limit(Outcome::cpu_limit, ErrorCode::cpu_limit,
               fmt::format("the program used more than {} of CPU time", format_duration_ms(limits.cpu_ms)));
}

// What the supervisor stopped the run for.
std::optional<Judgement> by_supervisor(engine::Verdict verdict, const contract::Limits& limits) {
  switch (verdict) {
    case engine::Verdict::none:
      return std::nullopt;
    case engine::Verdict::cancelled:
      return limit(Outcome::cancelled, ErrorCode::cancelled, "the run was cancelled");
    case engine::Verdict::wall:
      return limit(Outcome::timeout, ErrorCode::wall_timeout,
                   fmt::format("the program ran longer than {}", format_duration_ms(limits.wall_ms)));
    case engine::Verdict::cpu:
      return cpu_limit(limits);
    case engine::Verdict::memory:
      return memory_limit(limits);
    case engine::Verdict::processes:
      return process_limit(limits);
    case engine::Verdict::output:
      return limit(Outcome::output_limit, ErrorCode::output_limit, "the program flooded its output and was stopped");
  }
  return std::nullopt;
}

// A runtime whose heap is sized after the limit (three quarters of it) gives up before the kernel does. Its words are
// believed of a program that was seen to use as much memory as this takes at least: a table that has to be doubled, and
// for which there is no room beside itself, fills a third of the heap.
bool heap_was_full(const engine::SupervisionReport& report, const contract::Limits& limits,
                   const std::optional<contract::RunError>& program_error) {
  constexpr std::uint64_t kLeastShare = 4;
  return report.signal == SIGABRT && program_error && program_error->code == ErrorCode::memory_limit &&
         report.peak_memory_bytes >= limits.memory_bytes / kLeastShare;
}

// A disk can be full and empty again between two looks at it. The program's word for it is believed only if a look has
// found much of the disk in use.
bool no_space_between_looks(const engine::SupervisionReport& report, const contract::Limits& limits,
                            const std::optional<contract::RunError>& program_error) {
  const bool says_so = contains(program_error, "No space left on device") || contains(program_error, "ENOSPC");
  return says_so && report.peak_written_bytes > 0 && report.peak_written_bytes >= limits.disk_bytes / 2;
}

// A limit that the program ran into by itself and then failed. What was observed decides; what the program says about
// itself is only ever the second witness.
std::optional<Judgement> by_kernel(const engine::SupervisionReport& report, const contract::Limits& limits,
                                   const std::optional<contract::RunError>& program_error) {
  if (heap_was_full(report, limits, program_error)) {
    return memory_limit(limits);
  }
  const bool killed = report.signal == SIGXCPU || report.signal == SIGKILL;
  if (killed && report.cpu_us >= limits.cpu_ms * 1000) {
    return cpu_limit(limits);
  }
  if (report.refused_forks > 0 || report.peak_processes > limits.processes) {
    return process_limit(limits);
  }
  if (report.inodes_full) {
    return limit(Outcome::disk_limit, ErrorCode::disk_limit,
                 fmt::format("the program made more than {} files", limits.inodes));
  }
  if (report.disk_full || report.signal == SIGXFSZ || no_space_between_looks(report, limits, program_error)) {
    return limit(Outcome::disk_limit, ErrorCode::disk_limit,
                 fmt::format("the program wrote more than {}", format_size(limits.disk_bytes)));
  }
  return std::nullopt;
}

}  // namespace

Judgement judge(const engine::SupervisionReport& report, const engine::ArtifactHarvest& harvest,
                const contract::Limits& limits, const std::optional<contract::RunError>& program_error) {
  if (report.verdict == engine::Verdict::cancelled) {
    return *by_supervisor(report.verdict, limits);
  }
  // Before the exit status is believed: a program whose child was killed for memory may still exit 0 or 1.
  if (report.oom_kills > 0) {
    return memory_limit(limits);
  }
  if (auto stopped = by_supervisor(report.verdict, limits); stopped) {
    return *stopped;
  }
  const bool failed = report.exit_code != 0;
  if (failed) {
    if (auto limited = by_kernel(report, limits, program_error); limited) {
      return *limited;
    }
    if (!report.exit_code && !report.signal) {
      return limit(Outcome::internal_error, ErrorCode::internal_error, "the cell ended without telling how");
    }
    if (failed_for_a_refusal(report, program_error)) {
      const contract::Denial& first = report.denials.front();
      return limit(Outcome::denied, ErrorCode::denied, fmt::format("{} was refused: {}", first.what, first.target));
    }
    return {Outcome::program_failed, std::nullopt, ""};
  }
  if (!harvest.over_limit.empty()) {
    return limit(Outcome::output_limit, ErrorCode::artifact_limit, harvest.over_limit);
  }
  return {};
}

}  // namespace glovebox::runner

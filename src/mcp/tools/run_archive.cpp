#include "mcp/tools/run_archive.h"

#include <utility>

namespace glovebox::mcp {
namespace {

using base::Result;
using contract::RunRequest;
using contract::RunResult;

constexpr std::size_t kMostRuns = 256;
constexpr std::uint64_t kMaxArchiveBytes = 128ULL << 20U;

tl::unexpected<base::Error> no_such_run() {
  return base::fail(
      base::make_error(base::ErrorCode::not_found, "there is no such run").with_hint("a run's id is in its result"));
}

std::uint64_t size_of(const RunRequest& request, const RunResult& result) {
  std::uint64_t bytes = request.code.size() + request.standard_input.size() + result.standard_output.size() +
                        result.standard_error.size();
  for (const contract::InputFile& file : request.files) {
    if (const auto* content = std::get_if<std::string>(&file.content); content != nullptr) {
      bytes += content->size();
    }
  }
  for (const contract::Artifact& artifact : result.artifacts) {
    bytes += artifact.content.size();
  }
  return bytes;
}

}  // namespace

void RunArchive::keep(const RunRequest& request, const RunResult& result) {
  if (runner_.ledger() != nullptr) {
    return;
  }
  auto kept = std::make_shared<Kept>(Kept{request, result, runner::unix_ms(), size_of(request, result)});
  const std::lock_guard lock(mutex_);
  bytes_ += kept->bytes;
  kept_.push_back(std::move(kept));
  while (kept_.size() > kMostRuns || (bytes_ > kMaxArchiveBytes && kept_.size() > 1)) {
    bytes_ -= kept_.front()->bytes;
    kept_.pop_front();
  }
}

std::shared_ptr<const RunArchive::Kept> RunArchive::kept(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  for (const auto& one : kept_) {
    if (one->result.run_id == run_id) {
      return one;
    }
  }
  return nullptr;
}

Result<records::RunRecord> RunArchive::find(const std::string& run_id, const Host& host) {
  const runner::Caller& caller = host.caller();
  if (runner_.ledger() != nullptr) {
    auto record = TRY(runner_.ledger()->store().find(run_id));
    const bool theirs = record && record->summary.tenant == caller.tenant &&
                        (host.may_read() || record->summary.key_id == caller.key_id);
    if (!theirs) {
      return no_such_run();
    }
    return std::move(*record);
  }
  const auto one = kept(run_id);
  if (one == nullptr) {
    return no_such_run();
  }
  records::RunRecord record;
  record.summary.run_id = run_id;
  record.summary.tenant = caller.tenant;
  record.summary.language = one->request.language;
  record.summary.state = records::RunState::finished;
  record.summary.outcome = one->result.outcome;
  record.summary.success = one->result.success;
  record.summary.finished_ms = one->finished_ms;
  record.summary.created_ms = one->finished_ms - static_cast<std::int64_t>(one->result.metrics.wall_ms);
  record.summary.wall_ms = one->result.metrics.wall_ms;
  record.summary.cpu_ms = one->result.metrics.cpu_ms;
  record.request = one->request;
  record.result = one->result;
  return record;
}

Result<records::StoredArtifact> RunArchive::artifact(const std::string& run_id, const std::string& path,
                                                     const Host& host) {
  const records::RunRecord record = TRY(find(run_id, host));
  if (runner_.ledger() != nullptr) {
    auto stored = TRY(runner_.ledger()->store().artifact(run_id, path));
    if (!stored) {
      return base::fail(base::ErrorCode::not_found, "the run left no such file");
    }
    return std::move(*stored);
  }
  for (const contract::Artifact& one : record.result->artifacts) {
    if (one.path == path) {
      return records::StoredArtifact{one.content, one.media_type, one.sha256};
    }
  }
  return base::fail(base::ErrorCode::not_found, "the run left no such file");
}

Result<runner::ReplayReport> RunArchive::replay(const std::string& run_id, const Host& host,
                                                const runner::ReplayOptions& options) {
  const runner::Caller& caller = host.caller();
  const records::RunRecord record = TRY(find(run_id, host));
  if (runner_.ledger() != nullptr) {
    return runner::replay(runner_, run_id, caller, options);
  }
  if (const std::string reason = runner::nothing_to_replay(record); !reason.empty()) {
    return base::fail(base::ErrorCode::invalid_request, reason);
  }
  runner::RunOptions run_options;
  run_options.caller = caller;
  run_options.cancel = options.cancel;
  run_options.approved_rules = options.approved_rules;
  run_options.approver = options.approver;
  runner::ReplayReport report;
  report.replay_of = run_id;
  report.result = runner_.run(record.request, run_options);
  keep(record.request, report.result);
  // What was refused or cut off is no verdict about the program.
  const bool cut_off = report.result.outcome == contract::Outcome::cancelled ||
                       report.result.outcome == contract::Outcome::rejected ||
                       report.result.outcome == contract::Outcome::setup_failed ||
                       report.result.outcome == contract::Outcome::internal_error;
  if (cut_off && report.result.error) {
    return base::fail(
        base::make_error(report.result.error->code, report.result.error->message).with_hint(report.result.error->hint));
  }
  report.differences = runner::compare_results(*record.result, report.result);
  report.verdict = report.differences.empty() ? runner::ReplayVerdict::equal : runner::ReplayVerdict::differs;
  return report;
}

}  // namespace glovebox::mcp

#include "runner/replay.h"

#include <fmt/format.h>

#include "contract/json_writer.h"
#include "contract/run_result_codec.h"
#include "runner/ledger.h"
#include "runner/text_diff.h"

namespace glovebox::runner {
namespace {

using base::ErrorCode;
using base::fail;
using base::Result;
using contract::RunResult;

constexpr std::size_t kShownBytes = 4096;

std::string shown(const std::string& text) {
  return text.size() <= kShownBytes ? text : text.substr(0, kShownBytes) + fmt::format("… ({} bytes)", text.size());
}

class Comparison {
 public:
  void text(const char* field, const std::string& recorded, const std::string& replayed) {
    if (recorded == replayed) {
      return;
    }
    const bool lines = recorded.find('\n') != std::string::npos || replayed.find('\n') != std::string::npos;
    differences.push_back({field, shown(recorded), shown(replayed), lines ? line_diff(recorded, replayed) : ""});
  }
  template <typename Value>
  void value(const char* field, const Value& recorded, const Value& replayed) {
    text(field, fmt::format("{}", recorded), fmt::format("{}", replayed));
  }

  std::vector<ReplayDifference> differences;
};

std::string exit_of(const RunResult& result) {
  return result.exit_code ? std::to_string(*result.exit_code) : result.signal.value_or("none");
}

std::string error_of(const RunResult& result) {
  if (!result.error) {
    return "none";
  }
  return fmt::format("{} {} at line {}: {}", base::to_string(result.error->code), result.error->type,
                     result.error->line.value_or(0), result.error->message);
}

std::string artifacts_of(const RunResult& result) {
  std::string text;
  for (const contract::Artifact& artifact : result.artifacts) {
    text += fmt::format("{} {} {}\n", artifact.sha256, artifact.bytes, artifact.path);
  }
  return text;
}

std::string values_of(const RunResult& result) {
  std::string text;
  for (const contract::RichResult& rich : result.results) {
    text += rich.kind + " " + rich.json + "\n";
  }
  return text;
}

std::string denials_of(const RunResult& result) {
  std::string text;
  for (const contract::Denial& denial : result.denials) {
    text += fmt::format("{} × {} ({})\n", denial.count, denial.what, denial.layer);
  }
  return text;
}

// The outcomes of programs that were not run to an end of their own.
bool showed_nothing(contract::Outcome outcome) {
  return outcome == contract::Outcome::rejected || outcome == contract::Outcome::cancelled ||
         outcome == contract::Outcome::setup_failed || outcome == contract::Outcome::internal_error;
}

base::Error no_verdict(const RunResult& result) {
  base::Error error = base::make_error(ErrorCode::internal_error, "no verdict: the program did not run to its end");
  if (result.error) {
    error.code = result.error->code;
    error.message = "no verdict: " + result.error->message;
    error.hint = result.error->hint;
  }
  error.retry_after_s = result.retry_after_s;
  return error;
}

void field(contract::JsonWriter& json, std::string_view name, std::string_view text) { json.string(name, text); }

}  // namespace

std::string_view to_string(ReplayVerdict verdict) {
  switch (verdict) {
    case ReplayVerdict::equal:
      return "equal";
    case ReplayVerdict::differs:
      return "differs";
    case ReplayVerdict::image_changed:
      return "image_changed";
  }
  return "differs";
}

std::vector<ReplayDifference> compare_results(const RunResult& recorded, const RunResult& replayed) {
  Comparison compare;
  compare.value("outcome", contract::to_string(recorded.outcome), contract::to_string(replayed.outcome));
  compare.text("exit", exit_of(recorded), exit_of(replayed));
  compare.text("stdout", recorded.standard_output, replayed.standard_output);
  compare.text("stderr", recorded.standard_error, replayed.standard_error);
  compare.value("stdout_bytes", recorded.stdout_bytes, replayed.stdout_bytes);
  compare.value("stderr_bytes", recorded.stderr_bytes, replayed.stderr_bytes);
  compare.text("error", error_of(recorded), error_of(replayed));
  compare.text("results", values_of(recorded), values_of(replayed));
  compare.text("artifacts", artifacts_of(recorded), artifacts_of(replayed));
  compare.text("denials", denials_of(recorded), denials_of(replayed));
  compare.text("policy", recorded.provenance.policy, replayed.provenance.policy);
  return std::move(compare.differences);
}

std::string nothing_to_replay(const records::RunRecord& record) {
  if (!record.result) {
    return record.summary.state == records::RunState::running ? "the run has not ended yet"
                                                              : "the run was interrupted and never ended";
  }
  const RunResult& result = *record.result;
  switch (result.outcome) {
    case contract::Outcome::cancelled:
      return "the run was cancelled before its program ended";
    case contract::Outcome::rejected:
      return "the run was refused and its program never ran" +
             (result.error ? " (" + result.error->message + ")" : std::string());
    case contract::Outcome::setup_failed:
    case contract::Outcome::internal_error:
      return "the run failed in Glovebox and not in its program";
    default:
      return "";
  }
}

Result<ReplayReport> replay(Runner& runner, const std::string& run_id, const Caller& caller,
                            const ReplayOptions& replay_options) {
  if (runner.ledger() == nullptr) {
    return fail(ErrorCode::unsupported, "there are no records here");
  }
  auto record = TRY(runner.ledger()->store().find(run_id));
  if (!record || (!caller.tenant.empty() && record->summary.tenant != caller.tenant)) {
    return fail(base::make_error(ErrorCode::invalid_request, "there is no run " + run_id).with_field("run_id"));
  }
  if (const std::string reason = nothing_to_replay(*record); !reason.empty()) {
    return fail(base::make_error(ErrorCode::invalid_request, "nothing to replay: " + reason).with_field("run_id"));
  }
  contract::RunRequest request = record->request;
  request.cache = contract::CacheMode::off;
  request.idempotency_key.reset();
  RunOptions options;
  options.caller = caller;
  options.caller.tenant = record->summary.tenant;
  options.caller.task_id.clear();  // a look back is no further attempt at the task
  options.replay_of = run_id;
  options.cancel = replay_options.cancel;
  options.approved_rules = replay_options.approved_rules;
  options.approver = replay_options.approver;

  ReplayReport report;
  report.replay_of = run_id;
  report.result = runner.run(request, options);
  if (showed_nothing(report.result.outcome)) {
    return fail(no_verdict(report.result));
  }
  // The record is redacted, so what is compared with it must be too.
  report.differences = compare_results(*record->result, runner.ledger()->redacted(report.result));
  report.redacted_inputs = record->result->provenance.code_sha256 != report.result.provenance.code_sha256 ||
                           record->result->provenance.inputs_sha256 != report.result.provenance.inputs_sha256;
  const bool same_image = record->result->provenance.image_digest == report.result.provenance.image_digest;
  if (!same_image) {
    report.differences.push_back(
        {"image_digest", record->result->provenance.image_digest, report.result.provenance.image_digest, ""});
  }
  report.verdict = !same_image                  ? ReplayVerdict::image_changed
                   : report.differences.empty() ? ReplayVerdict::equal
                                                : ReplayVerdict::differs;
  return report;
}

std::string to_json(const ReplayReport& report, contract::JsonStyle style) {
  contract::JsonWriter json;
  json.begin_object();
  field(json, "verdict", to_string(report.verdict));
  field(json, "run_id", report.result.run_id);
  field(json, "replay_of", report.replay_of);
  json.key("differences");
  json.begin_array();
  for (const ReplayDifference& difference : report.differences) {
    json.begin_object();
    field(json, "field", difference.field);
    field(json, "recorded", difference.recorded);
    field(json, "replayed", difference.replayed);
    if (!difference.diff.empty()) {
      field(json, "diff", difference.diff);
    }
    json.end_object();
  }
  json.end_array();
  json.boolean("redacted_inputs", report.redacted_inputs);
  json.free_form("result", contract::to_json(report.result));
  json.end_object();
  return json.take(style);
}

}  // namespace glovebox::runner

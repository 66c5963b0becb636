#include "runner/answer.h"

#include "base/sha256.h"
#include "base/units.h"
#include "base/utf8.h"
#include "contract/error_catalogue.h"
#include "contract/json_parse.h"
#include "engine/languages/language_command.h"
#include "engine/languages/program_error.h"
#include "runner/verdict.h"

namespace glovebox::runner {
namespace {

using base::ErrorCode;
using contract::Outcome;
using contract::RunError;
using contract::RunResult;

// A refusal that the program lived with is not why it failed, but may be what led there.
void mention_refusal(const RunResult& result, RunError& error) {
  // Refused calls come first; artifacts that were not taken are no matter of the program's end.
  if (!result.denials.empty() && result.denials.front().layer == "seccomp") {
    const contract::Denial& first = result.denials.front();
    error.hint += error.hint.empty() ? "" : ". ";
    error.hint += "Before that, " + first.what + " was refused: " + first.target + "; the program went on";
  }
}

// The program's own error where there is one, told as what it means for the run.
RunError merge(std::optional<RunError> program_error, const Judgement& judgement, const RunResult& result) {
  RunError error = program_error.value_or(RunError{});
  if (!judgement.code) {
    if (error.code == ErrorCode::memory_limit) {
      error.code = ErrorCode::program_signal;  // it says so, but nobody saw it
      error.hint = contract::catalogue_entry(error.code).hint_model;
    }
    mention_refusal(result, error);
    return error;
  }
  if (error.message.empty() || *judgement.code != ErrorCode::denied) {
    error.message = judgement.message;
  }
  if (*judgement.code != ErrorCode::denied) {
    error.type = std::string(base::to_string(*judgement.code));
  }
  error.code = *judgement.code;
  error.hint = contract::catalogue_entry(*judgement.code).hint_model;
  if (*judgement.code == ErrorCode::denied && !result.denials.empty()) {
    const contract::Denial& first = result.denials.front();
    if (error.type.empty() || !program_error) {
      error.type = "denied";
    }
    error.hint = first.what + " was refused: " + first.target + ". What would allow it: " + first.grant;
  }
  return error;
}

// Everything of ours before the cell was there.
double setup_of(const std::map<std::string, double>& stages) {
  double sum = 0;
  for (const char* stage : {"plan", "cgroup", "clone", "take", "limits"}) {
    if (const auto found = stages.find(stage); found != stages.end()) {
      sum += found->second;
    }
  }
  return sum;
}

std::vector<std::string> work_files(const contract::RunRequest& request) {
  std::vector<std::string> names;
  names.reserve(request.files.size());
  for (const contract::InputFile& file : request.files) {
    names.push_back(file.path.str());
  }
  return names;
}

}  // namespace

Answer::Answer(const contract::RunRequest& request, std::string run_id) : request_(request) {
  result_.run_id = std::move(run_id);
  result_.validation.status = request.expect_json ? "not_run" : "not_requested";
}

void Answer::provenance(std::string inputs_sha256, std::string image_digest) {
  contract::Provenance& provenance = result_.provenance;
  provenance.code_sha256 = base::sha256_hex(request_.code);
  provenance.inputs_sha256 = std::move(inputs_sha256);
  provenance.image_digest = std::move(image_digest);
  provenance.policy = request_.policy;
  provenance.isolation = contract::to_string(request_.isolation);
}

void Answer::fail_with(const base::Error& error, Outcome outcome) {
  result_.outcome = outcome;
  result_.success = false;
  result_.retry_after_s = error.retry_after_s;
  RunError told = contract::run_error_of(error);
  told.message = (error.field.empty() ? "" : error.field + ": ") + error.message;
  if (!error.stage.empty()) {
    told.message += " (at " + error.stage + ")";
  }
  result_.error = std::move(told);
}

RunResult Answer::refused(const base::Error& error) {
  fail_with(error, contract::catalogue_entry(error.code).outcome);
  return std::move(result_);
}

RunResult Answer::rejected(const policy::Decision& decision, base::Error error) {
  const policy::Finding* worst = decision.findings.empty() ? nullptr : &decision.findings.front();
  if (error.message.empty()) {
    error.message = policy::summary_of(decision);
  }
  if (error.hint.empty() && worst != nullptr) {
    error.hint = worst->suggestion;
  }
  fail_with(error, contract::catalogue_entry(error.code).outcome);
  if (worst != nullptr && worst->at && worst->file.empty()) {
    result_.error->line = worst->at->line;
    result_.error->column = worst->at->column;
  }
  return std::move(result_);
}

RunResult Answer::not_executed(const base::Error& error) {
  fail_with(error, contract::catalogue_entry(error.code).outcome);
  result_.attempts.push_back({path_, std::string(contract::to_string(result_.outcome)), base::cause_of(error)});
  return std::move(result_);
}

RunResult Answer::executed(engine::ExecutionReport report, const engine::LanguageProfile& language) {
  const engine::SupervisionReport& seen = report.supervision;
  path_ = report.warm ? "warm" : "cold";
  result_.provenance.warm = report.warm;
  result_.attempts = std::move(report.failed_attempts);
  result_.provenance.enforced = report.plan.enforced;
  result_.metrics.wall_ms = seen.wall_ms;
  result_.metrics.cpu_ms = static_cast<double>(seen.cpu_us) / 1000;
  result_.metrics.peak_memory_bytes = seen.peak_memory_bytes;
  result_.metrics.peak_processes = seen.peak_processes;
  result_.metrics.setup_ms = setup_of(report.stages) + seen.setup_ms;
  result_.metrics.stages.insert(report.stages.begin(), report.stages.end());
  if (seen.failure) {
    return not_executed(*seen.failure);
  }

  const std::string raw_errors = seen.standard_error.bytes();
  result_.standard_output = base::sanitize_output(seen.standard_output.bytes());
  result_.standard_error = base::sanitize_output(raw_errors);
  result_.stdout_bytes = seen.standard_output.total_bytes();
  result_.stderr_bytes = seen.standard_error.total_bytes();
  result_.stdout_truncated = seen.standard_output.truncated();
  result_.stderr_truncated = seen.standard_error.truncated();
  result_.exit_code = seen.exit_code;
  if (seen.signal) {
    result_.signal = engine::signal_name(*seen.signal);
  }
  result_.denials = seen.denials;
  result_.denials.insert(result_.denials.end(), report.harvest.refused.begin(), report.harvest.refused.end());
  result_.artifacts = std::move(report.harvest.artifacts);

  const auto files = work_files(request_);
  const std::string program = engine::program_path(language);
  const auto program_error = engine::explain_program_error(language, {seen.exit_code, seen.signal}, raw_errors,
                                                           {request_.code, program, files}, engine::ModuleLookup());
  Judgement judgement = judge(seen, report.harvest, report.plan.limits, program_error);
  if (judgement.outcome == Outcome::ok && request_.input_json) {
    auto value = contract::compact_json(report.solve_value.value_or(""), "value");
    if (report.solve_value_too_large) {
      judgement = {
          Outcome::invalid_output, ErrorCode::invalid_output,
          "the value of solve(input) is larger than the " + base::format_size(report.plan.limits.output_bytes) +
              " of limits.output_bytes (--output): return less, raise the limit, or write a file and collect it"};
    } else if (!value) {
      judgement = {Outcome::invalid_output, ErrorCode::invalid_output,
                   "solve(input) did not leave a JSON value: " + value.error().message};
    } else {
      result_.results.push_back({"value", "application/json", std::move(*value)});
    }
  }
  result_.outcome = judgement.outcome;
  result_.success = judgement.outcome == Outcome::ok;
  if (!result_.success) {
    result_.error = merge(program_error, judgement, result_);
  }
  result_.attempts.push_back({path_, std::string(contract::to_string(result_.outcome)),
                              judgement.outcome == Outcome::internal_error ? judgement.message : ""});
  return std::move(result_);
}

}  // namespace glovebox::runner

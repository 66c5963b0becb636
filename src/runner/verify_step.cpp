#include "runner/verify_step.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "base/stopwatch.h"
#include "contract/error_catalogue.h"
#include "engine/supervise/work_walk.h"
#include "os/files.h"
#include "runner/answer.h"
#include "verification/verify.h"

namespace glovebox::runner {
namespace {

using base::ErrorCode;
using base::Result;
using contract::Outcome;
using contract::RunRequest;
using contract::RunResult;
using verification::Trial;
using verification::TrialKind;
using verification::TrialOrder;
using Clock = std::chrono::steady_clock;

// Runs trials in cells of their own, and counts what they cost.
class Trials {
 public:
  Trials(const RunRequest& request, const engine::LanguageProfile& language,
         const engine::LanguageProfile* second_language, const VerifyStep::Means& means)
      : template_(request),
        language_(language),
        second_language_(second_language),
        means_(means),
        test_ms_left_(static_cast<double>(means.limits.wall_ms)) {
    template_.limits = means.limits;
    template_.artifacts.clear();
    template_.expect_json.reset();
  }

  Trial run(const TrialOrder& order) {
    RunRequest request = template_;
    if (order.code) {
      request.code = *order.code;
    }
    if (!order.language.empty()) {
      request.language = order.language;
    }
    request.input_json = order.input_json;
    if (order.kind == TrialKind::test) {
      if (test_ms_left_ < 1) {
        return {Outcome::timeout, ErrorCode::wall_timeout, "the tests have used up limits.wall_ms", "", false, {}};
      }
      request.limits.wall_ms = static_cast<std::uint64_t>(test_ms_left_);
    }
    const auto started = Clock::now();
    RunResult result =
        execute(request, order.language.empty() || second_language_ == nullptr ? language_ : *second_language_);
    test_ms_left_ -= order.kind == TrialKind::test ? base::ms_since(started) : 0;
    wall_ms += result.metrics.wall_ms;
    cpu_ms += result.metrics.cpu_ms;
    Trial trial;
    trial.outcome = result.outcome;
    if (result.error) {
      trial.code = result.error->code;
      trial.error = result.error->type + (result.error->type.empty() ? "" : ": ") + result.error->message;
    }
    if (const std::string* value = verification::value_of(result); value != nullptr) {
      trial.value_json = *value;
    }
    trial.standard_output = std::move(result.standard_output);
    trial.stdout_truncated = result.stdout_truncated;
    return trial;
  }

  double wall_ms = 0;
  double cpu_ms = 0;

 private:
  RunResult execute(const RunRequest& request, const engine::LanguageProfile& language) const {
    Answer answer(request, "");
    engine::RunInputs inputs;
    inputs.request = &request;
    inputs.language = &language;
    inputs.blobs = means_.blobs;
    inputs.cancel = &means_.cancel;
    inputs.tenant = means_.tenant;
    auto report = means_.engine.execute(inputs);
    return report ? answer.executed(std::move(*report), language) : answer.not_executed(report.error());
  }

  RunRequest template_;
  const engine::LanguageProfile& language_;
  const engine::LanguageProfile* second_language_;
  const VerifyStep::Means& means_;
  double test_ms_left_;
};

// Reads through the descriptor that was hashed when the run was admitted.
Result<std::string> read_blob(const RunRequest& request, const std::vector<int>& blobs, const std::string& path) {
  std::size_t index = 0;
  for (const contract::InputFile& file : request.files) {
    if (std::holds_alternative<contract::BlobRef>(file.content)) {
      if (file.path.str() == path && index < blobs.size()) {
        return os::read_file(fmt::format("/proc/self/fd/{}", blobs[index]), verification::kMaxDocumentBytes);
      }
      ++index;
    }
  }
  return base::fail(ErrorCode::invalid_output, "the request has no such file");
}

verification::WorkLeft work_left(const engine::WorkTree* tree) {
  verification::WorkLeft left;
  if (tree == nullptr) {
    return left;
  }
  left.kept_inputs = tree->kept;
  for (const engine::WorkFile& file : tree->written) {
    left.written.push_back(file.path);
  }
  left.unknown = tree->incomplete;
  return left;
}

void fail_with(RunResult& result, Outcome outcome, ErrorCode code, std::string message) {
  result.outcome = outcome;
  result.success = false;
  contract::RunError error;
  error.code = code;
  error.type = std::string(base::to_string(code));
  error.message = std::move(message);
  error.hint = contract::catalogue_entry(code).hint_model;
  result.error = std::move(error);
  if (!result.attempts.empty()) {
    result.attempts.back().outcome = std::string(contract::to_string(outcome));
  }
}

}  // namespace

Result<VerifyStep> VerifyStep::prepare(const RunRequest& request, const engine::LanguageProfile& language,
                                       const engine::LanguageCatalogue& languages) {
  VerifyStep step(request, language);
  step.expectation_ = TRY(verification::Expectation::compile(request));
  const auto needs_solve = [](const engine::LanguageProfile& profile, const char* field) -> base::Status {
    if (profile.solve_command.empty()) {
      return base::fail(
          base::make_error(ErrorCode::unsupported, profile.name + " has no solve(input) form").with_field(field));
    }
    return {};
  };
  if (step.expectation_.calls_solve()) {
    TRY_STATUS(needs_solve(language, "expect.tests"));
  }
  const auto& check = step.expectation_.expect.cross_check;
  if (check && !check->language.empty()) {
    auto second = languages.find(check->language);
    if (!second) {
      return base::fail(std::move(second.error()).with_field("expect.cross_check.language"));
    }
    if (request.input_json) {
      TRY_STATUS(needs_solve(*second, "expect.cross_check.language"));
    }
    step.second_language_ = std::make_shared<const engine::LanguageProfile>(std::move(*second));
  }
  return step;
}

std::optional<policy::SecondProgram> VerifyStep::second_program() const {
  const auto& check = expectation_.expect.cross_check;
  if (!check) {
    return std::nullopt;
  }
  return policy::SecondProgram{second_language_ ? second_language_->id : language_->id, check->code};
}

std::vector<std::string_view> VerifyStep::called_functions() const {
  std::vector<std::string_view> names;
  for (const contract::PropertyCheck& check : expectation_.expect.properties) {
    if (!check.inverse.empty()) {
      names.push_back(check.inverse);
    }
  }
  return names;
}

const engine::WorkBounds* VerifyStep::needs_work() const {
  static constexpr engine::WorkBounds kBounds{verification::kMaxDocumentBytes, engine::WorkWalk::kMaxEntries};
  return expectation_.needs_whole_work() ? &kBounds : nullptr;
}

void VerifyStep::apply(const Means& means, RunResult& result) const {
  if (!request_->expect_json || result.outcome != Outcome::ok) {
    return;
  }
  const auto started = Clock::now();
  Trials trials(*request_, *language_, second_language_.get(), means);
  verification::Helpers helpers;
  helpers.read_blob = [&](const std::string& path) { return read_blob(*request_, means.blobs, path); };
  helpers.work = work_left(means.work);
  helpers.run_trial = [&](const TrialOrder& order) { return trials.run(order); };
  verification::Verification verification = verification::verify(expectation_, *request_, result, helpers);
  result.validation = std::move(verification.validation);
  result.metrics.wall_ms += trials.wall_ms;
  result.metrics.cpu_ms += trials.cpu_ms;
  if (verification.stopped_by) {
    const Trial& stopped = *verification.stopped_by;
    result.validation.status = "not_run";
    fail_with(result, stopped.outcome, stopped.code, "while the result was verified: " + stopped.error);
  } else if (!result.validation.failures.empty()) {
    const std::size_t others = result.validation.failures.size() - 1;
    fail_with(result, Outcome::invalid_output, ErrorCode::invalid_output,
              result.validation.failures.front() + (others == 0 ? "" : fmt::format(" (and {} more)", others)));
  }
  result.metrics.stages["verify"] = base::ms_since(started);
}

}  // namespace glovebox::runner

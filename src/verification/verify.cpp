#include "verification/verify.h"

#include <fmt/format.h>

#include <algorithm>

#include "verification/artifact_check.h"
#include "verification/documents.h"

namespace glovebox::verification {
namespace {

using base::Result;
using contract::RunRequest;
using contract::RunResult;

Evidence evidence_of(const RunRequest& request, const RunResult& result, const Helpers& helpers) {
  Evidence evidence;
  evidence.standard_output = result.standard_output;
  evidence.stdout_truncated = result.stdout_truncated;
  if (const std::string* value = value_of(result); value != nullptr) {
    evidence.value_json = *value;
  }
  if (request.input_json) {
    evidence.input_json = *request.input_json;
  }
  evidence.artifacts = result.artifacts;
  evidence.read_input = [&request, &helpers](const std::string& path) -> Result<std::string> {
    const auto found = std::find_if(request.files.begin(), request.files.end(),
                                    [&](const contract::InputFile& file) { return file.path.str() == path; });
    if (found == request.files.end()) {
      return base::fail(base::ErrorCode::invalid_output, "the request has no such file");
    }
    const auto* bytes = std::get_if<std::string>(&found->content);
    return bytes != nullptr ? Result<std::string>(*bytes) : helpers.read_blob(path);
  };
  return evidence;
}

// Collects checks into what the contract says about them.
class Verdicts {
 public:
  void add(std::string name, const std::vector<std::string>& problems) {
    contract::ValidationCheck check;
    check.passed = problems.empty();
    check.message = fmt::format("{}", fmt::join(problems, "; "));
    for (const std::string& problem : problems) {
      validation_.failures.push_back(fmt::format("{}: {}", name, problem));
    }
    check.name = std::move(name);
    validation_.checks.push_back(std::move(check));
  }
  void add(std::string name, std::string problem) {
    add(std::move(name), problem.empty() ? std::vector<std::string>() : std::vector<std::string>{std::move(problem)});
  }
  void may_differ() { validation_.repeatable = false; }

  contract::Validation take() {
    validation_.status = validation_.failures.empty() ? "passed" : "failed";
    return std::move(validation_);
  }

 private:
  contract::Validation validation_;
};

std::vector<std::string> schema_problems(const Schema& schema, const Result<JsonValue>& document, WorkBudget& budget) {
  return document ? schema.problems_of(*document, budget) : std::vector<std::string>{document.error().message};
}

}  // namespace

Verification verify(const Expectation& expectation, const RunRequest& request, const RunResult& result,
                    const Helpers& helpers) {
  WorkBudget budget;
  const Evidence evidence = evidence_of(request, result, helpers);
  Documents documents(evidence, budget);
  Verdicts verdicts;
  Verification verification;
  const contract::Expect& expect = expectation.expect;

  if (expectation.output_schema) {
    const MemoryScope scope(budget);
    verdicts.add("expect.stdout_json_schema",
                 schema_problems(*expectation.output_schema, documents.output_tree(), budget));
  }
  if (expectation.value_schema) {
    const MemoryScope scope(budget);
    verdicts.add("expect.value_json_schema",
                 schema_problems(*expectation.value_schema, documents.value_tree(), budget));
  }
  for (std::size_t index = 0; index < expect.artifacts.size(); ++index) {
    const contract::ExpectedArtifact& expected = expect.artifacts[index];
    const contract::Artifact* found = documents.find_artifact(expected.path.str());
    std::vector<std::string> problems = problems_of(expected, found, budget);
    if (!expected.exists && found == nullptr) {
      if (std::string presence = presence_at(expected.path.str(), request, result, helpers.work); !presence.empty()) {
        problems.push_back(std::move(presence));
      }
    }
    verdicts.add(fmt::format("expect.artifacts[{}] {}", index, expected.path.str()), problems);
  }
  for (std::size_t index = 0; index < expectation.invariants.size(); ++index) {
    const Invariant& invariant = expectation.invariants[index];
    verdicts.add(fmt::format("expect.invariants[{}] {}", index, shown_text(invariant.text())),
                 invariant.problem_with(documents));
  }

  // Time in cells is bounded by their limits; ours does not run meanwhile.
  const TrialRunner run_trial = [&](const TrialOrder& order) {
    const auto started = WorkBudget::Clock::now();
    Trial trial = helpers.run_trial(order);
    budget.extend(WorkBudget::Clock::now() - started);
    return trial;
  };
  const auto add_trials = [&](TrialReport report) {
    for (CheckReport& check : report.checks) {
      verdicts.add(std::move(check.name), check.problems);
    }
    if (!report.repeatable) {
      verdicts.may_differ();
    }
    verification.stopped_by = std::move(report.stopped_by);
  };
  if (expectation.calls_solve()) {
    add_trials(run_tests(expect, request, run_trial, budget));
  }
  if (expect.cross_check && !verification.stopped_by) {
    add_trials(run_cross_check(*expect.cross_check, request, result, run_trial, budget));
  }
  if (budget.late()) {
    verdicts.may_differ();
  }
  verification.validation = verdicts.take();
  return verification;
}

}  // namespace glovebox::verification

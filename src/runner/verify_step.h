// The verify step of a run: what was expected is compiled before it, and held against the result after it.
//
// src/verification decides; this carries out what it asks for. Tests and the cross-check run in cells like the
// program's own: same image, files, limits and filter, nothing shared but the cancel token. Tests together get as much
// wall-clock time as the program, and the cross-check as much again. What they cost is added to the result's metrics,
// so that quotas and budgets see it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "contract/run_request.h"
#include "contract/run_result.h"
#include "engine/engine.h"
#include "engine/languages/catalogue.h"
#include "policy/decision.h"
#include "verification/expectation.h"

namespace glovebox::runner {

class VerifyStep {
 public:
  // Refuses what is wrong with "expect", down to a language that lacks solve(input). `request` and `language` outlive
  // the step.
  [[nodiscard]] static base::Result<VerifyStep> prepare(const contract::RunRequest& request,
                                                        const engine::LanguageProfile& language,
                                                        const engine::LanguageCatalogue& languages);

  // The cross-check's program, for the policy to judge. Lives as long as the step.
  [[nodiscard]] std::optional<policy::SecondProgram> second_program() const;
  // Functions of the program that tests call by their name, likewise.
  [[nodiscard]] std::vector<std::string_view> called_functions() const;

  // Files that are looked at and so have to be collected, as patterns.
  [[nodiscard]] std::vector<std::string> also_collect() const { return expectation_.artifact_patterns(); }

  // Not null: the whole work directory has to be collected, because something must not be in it.
  [[nodiscard]] const engine::WorkBounds* needs_work() const;

  struct Means {
    engine::Engine& engine;
    const contract::Limits& limits;  // what the policy granted
    const std::vector<int>& blobs;   // in the order of the request's blob files
    const engine::CancelToken& cancel;
    const std::string& tenant;
    const engine::WorkTree* work;  // null: not collected
  };
  // Only a run that ended well is looked at; any other keeps its outcome.
  void apply(const Means& means, contract::RunResult& result) const;

 private:
  VerifyStep(const contract::RunRequest& request, const engine::LanguageProfile& language)
      : request_(&request), language_(&language) {}

  const contract::RunRequest* request_;
  const engine::LanguageProfile* language_;
  std::shared_ptr<const engine::LanguageProfile> second_language_;  // of the cross-check, if it names one
  verification::Expectation expectation_;
};

}  // namespace glovebox::runner

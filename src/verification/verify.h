// The verify step: does what a run left meet what was expected (V1–V5, V7)?
//
//   Expectation::compile(request)        before the run; what is wrong with "expect" is refused there
//   verify(expectation, …)               after a run that ended well
//
// Pure but for the trials, which the caller carries out. Everything that is looked at was written by the program, so
// its cost is bounded (WorkBudget), and what could not be looked at has failed: nothing unvalidated is a success.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "contract/run_request.h"
#include "contract/run_result.h"
#include "verification/absence.h"
#include "verification/expectation.h"
#include "verification/trials.h"

namespace glovebox::verification {

struct Verification {
  contract::Validation validation;
  std::optional<Trial> stopped_by;  // nothing can be said: a trial was cancelled, or no cell could be made for it
};

struct Helpers {
  // The bytes of an input file that is stored as a blob.
  std::function<base::Result<std::string>(const std::string& path)> read_blob;
  TrialRunner run_trial;
  WorkLeft work;
};

// `result` has the outcome ok.
[[nodiscard]] Verification verify(const Expectation& expectation, const contract::RunRequest& request,
                                  const contract::RunResult& result, const Helpers& helpers);

}  // namespace glovebox::verification

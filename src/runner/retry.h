// Runs a program, and while it fails asks for a better one: for callers that can supply new code (X3, X4, B2).
//
// The loop ends for one of a few reasons, and each is told. It never runs a program again that came back unchanged, and
// never spends a retry on what new code cannot mend. The budget counts execution, not the supplier's thinking: the last
// runs get as their wall limit what is left of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "contract/json_writer.h"
#include "contract/run_request.h"
#include "contract/run_result.h"
#include "runner/repair_brief.h"
#include "runner/runner.h"

namespace glovebox::runner {

enum class RetryStop {
  success,
  attempts_exhausted,
  budget_exhausted,
  same_error_twice,
  not_repairable,
  supplier_gave_up,
};
[[nodiscard]] std::string_view to_string(RetryStop stop);

struct RetryLimits {
  std::uint32_t attempts = 3;                // programs that are run, the first one included
  std::chrono::milliseconds budget{10'000};  // of execution over all of them
};

struct RetryAttempt {
  std::string code;
  contract::RunResult result;
};

struct RetryReport {
  RetryStop stop = RetryStop::not_repairable;
  std::string reason;                  // in a sentence
  std::vector<RetryAttempt> attempts;  // at least one; the last one is the answer
  [[nodiscard]] const contract::RunResult& result() const { return attempts.back().result; }
};

// The whole new program; an error is the supplier's way to give up, and says why.
using CodeSupplier = std::function<base::Result<std::string>(const RepairBrief&)>;
using RunProgram = std::function<contract::RunResult(const contract::RunRequest&)>;

[[nodiscard]] RetryReport run_with_retries(const RunProgram& run, contract::RunRequest request,
                                           const CodeSupplier& supplier, const RetryLimits& limits = {});
// Each attempt gets a run id of its own; the others of `options` are those of every attempt.
[[nodiscard]] RetryReport run_with_retries(Runner& runner, contract::RunRequest request, const CodeSupplier& supplier,
                                           const RetryLimits& limits = {}, const RunOptions& options = {});

// {"stop":…}: everything that was tried, for whoever takes over.
[[nodiscard]] std::string to_json(const RetryReport& report, contract::JsonStyle style = contract::JsonStyle::compact);
// The same in a few lines for a person: why it ended, each attempt, where the last one failed.
[[nodiscard]] std::string hand_over(const RetryReport& report);

}  // namespace glovebox::runner

// Checks that need the program, or another one, to run again: tests, properties and the cross-check (V4, V5).
//
// This folder runs nothing. It says which program with which input, and somebody who owns cells carries it out: each
// trial in a cell of its own, so that no case sees what another one left, and one that crashes hides no other.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "contract/expect.h"
#include "contract/run_request.h"
#include "contract/run_result.h"
#include "verification/work_budget.h"

namespace glovebox::verification {

enum class TrialKind { test, cross_check };

// What differs from the request: everything else (files, stdin, args, limits) is the same.
struct TrialOrder {
  TrialKind kind = TrialKind::test;
  std::string language;                   // empty: the request's
  std::optional<std::string> code;        // none: the request's
  std::optional<std::string> input_json;  // given: solve(input) is called
};

struct Trial {
  contract::Outcome outcome = contract::Outcome::internal_error;
  base::ErrorCode code = base::ErrorCode::internal_error;  // of an outcome that is not ok
  std::string error;                                       // what went wrong, for people
  std::string standard_output;
  bool stdout_truncated = false;
  std::optional<std::string> value_json;
};

using TrialRunner = std::function<Trial(const TrialOrder& order)>;

struct CheckReport {
  std::string name;
  std::vector<std::string> problems;  // empty: passed
};

struct TrialReport {
  std::vector<CheckReport> checks;
  // A trial that says nothing about the program: it was cancelled, or no cell could be made. What came after was not
  // tried.
  std::optional<Trial> stopped_by;
  bool repeatable = true;  // false: a trial ran into a limit, and might not another time
};

// How many cells tests and properties need.
[[nodiscard]] std::size_t cells_of_tests(const contract::Expect& expect);
// The request's program with another function in the place of solve; nothing in a language where that is not known.
[[nodiscard]] std::optional<std::string> program_calling(const contract::RunRequest& request,
                                                         const std::string& function);

[[nodiscard]] TrialReport run_tests(const contract::Expect& expect, const contract::RunRequest& request,
                                    const TrialRunner& run, WorkBudget& budget);
// `first` is what the request's own program gave.
[[nodiscard]] TrialReport run_cross_check(const contract::CrossCheck& check, const contract::RunRequest& request,
                                          const contract::RunResult& first, const TrialRunner& run, WorkBudget& budget);

// The value of solve(input) among the rich results, or null.
[[nodiscard]] const std::string* value_of(const contract::RunResult& result);

}  // namespace glovebox::verification

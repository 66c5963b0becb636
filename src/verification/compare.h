// Two answers to the same question: a value and the expected one, or two programs' outputs (V4, V5).
//
// Numbers are equal when they are mathematically equal; with a tolerance, when they differ by at most that much. Both
// is decided exactly, however many digits they have. Every function gives an empty text for "the same", else one
// sentence with both sides.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "contract/expect.h"
#include "verification/json_tools.h"
#include "verification/work_budget.h"

namespace glovebox::verification {

struct Sides {
  std::string_view left = "came";
  std::string_view right = "was expected";
};

[[nodiscard]] std::string difference_of(const JsonValue& left, const JsonValue& right, std::optional<double> tolerance,
                                        const Sides& sides, WorkBudget& budget);
// The same elements as often, in any order; both are arrays.
[[nodiscard]] std::string difference_of_elements(const JsonValue& left, const JsonValue& right, const Sides& sides,
                                                 WorkBudget& budget);

// Standard outputs. numeric: word by word, where words that are numbers may differ by the tolerance. set: the same
// lines, however often and in any order.
[[nodiscard]] std::string difference_of_texts(std::string_view left, std::string_view right,
                                              contract::Comparison comparison, std::optional<double> tolerance,
                                              const Sides& sides, WorkBudget& budget);
// Values of solve(input). set: arrays with the same elements, however often and in any order.
[[nodiscard]] std::string difference_of_values(std::string_view left_json, std::string_view right_json,
                                               contract::Comparison comparison, std::optional<double> tolerance,
                                               const Sides& sides, WorkBudget& budget);

}  // namespace glovebox::verification

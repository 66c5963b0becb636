// What to send back to the model that wrote a failed program (X3): the error, the failing lines, what was tried before,
// and the rule to change only what is needed. As a value, as JSON, and as text that can be put into a prompt.
//
// Everything in it that the program wrote is hostile to the model that reads it: it is clean text and bounded in size,
// and the text for the model marks it as data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/json_writer.h"
#include "contract/run_request.h"
#include "contract/run_result.h"

namespace glovebox::runner {

inline constexpr std::string_view kRepairRule =
    "Change only what is needed to mend this error; leave everything else as it is. Answer with the whole program.";

struct NumberedLine {
  std::uint32_t number = 0;  // 1-based
  std::string text;
  bool failing = false;
  bool operator==(const NumberedLine&) const = default;
};

// One failed attempt at the same goal, in short.
struct PastAttempt {
  std::string run_id;
  contract::Outcome outcome = contract::Outcome::internal_error;
  std::optional<contract::RunError> error;
  bool operator==(const PastAttempt&) const = default;
};

struct RepairBrief {
  std::string run_id;
  std::string language;
  std::string code;
  contract::Outcome outcome = contract::Outcome::internal_error;
  contract::RunError error;
  bool repairable = false;
  std::string file;                 // the failing lines are of this file of the request; empty: of the code
  std::vector<NumberedLine> lines;  // around the failing one; none where no line is known
  std::vector<contract::Denial> denials;
  std::vector<std::string> validation_failures;
  std::vector<PastAttempt> tried;  // before this one, the oldest first
  std::optional<std::uint32_t> attempts_left;
  std::optional<std::uint64_t> budget_left_ms;
};

// A new program may help: not where the request, the policy, the caller, the host or Glovebox itself ended the run.
[[nodiscard]] bool is_repairable(const contract::RunResult& result);

// `result` is that of a failed run.
[[nodiscard]] RepairBrief make_brief(const contract::RunRequest& request, const contract::RunResult& result);
[[nodiscard]] PastAttempt in_short(const contract::RunResult& result);

// For a prompt.
[[nodiscard]] std::string to_text(const RepairBrief& brief);
[[nodiscard]] std::string to_json(const RepairBrief& brief, contract::JsonStyle style = contract::JsonStyle::compact);

// Equal for two runs that failed in the same way: code, type, message without its numbers, and the text of the failing
// line, which stays the same when the program grows above it. Empty for a run that succeeded.
[[nodiscard]] std::string error_signature(const contract::RunRequest& request, const contract::RunResult& result);

// The program in a model's answer: what stands in the Markdown fence, if the answer is one.
[[nodiscard]] std::string code_of_answer(std::string_view answer);

}  // namespace glovebox::runner

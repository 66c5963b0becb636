// What verification does with JSON from a cell: read it within bounds, compare it, show it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "contract/json_kind.h"
#include "contract/json_parse.h"
#include "verification/work_budget.h"

namespace glovebox::verification {

using contract::JsonMember;
using contract::JsonValue;

inline constexpr std::size_t kMaxDocumentBytes = std::size_t{64} << 20U;
inline constexpr std::size_t kMaxDocumentValues = 1'000'000;
inline constexpr std::size_t kMaxDocumentDepth = 200;
inline constexpr std::size_t kShownBytes = 200;

[[nodiscard]] base::Result<JsonValue> read_document(std::string_view text);

[[nodiscard]] bool is_number(const JsonValue& value);

// A text that two values share exactly if they are equal: numbers by their worth, objects without regard to order.
// Nothing when the budget is spent.
[[nodiscard]] std::optional<std::string> canonical_text(const JsonValue& value, WorkBudget& budget);

// Compact JSON, cut for a message.
[[nodiscard]] std::string shown(const JsonValue& value);
[[nodiscard]] std::string shown_text(std::string_view text);

// Appends one step to a JSON Pointer (RFC 6901).
[[nodiscard]] std::string pointer_step(std::string_view pointer, std::string_view key);

// Number of Unicode characters.
[[nodiscard]] std::size_t count_characters(std::string_view utf8);

}  // namespace glovebox::verification

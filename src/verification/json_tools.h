// What verification does with JSON from a cell: read it within bounds, compare it, show it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

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

// What a tree costs per value, beside its text.
inline constexpr std::size_t kBytesPerValue = sizeof(JsonMember);

// Holds memory for the tree; a MemoryScope of the caller gives it back.
[[nodiscard]] base::Result<JsonValue> read_document(std::string_view text, WorkBudget& budget);

// The value itself and all below it.
[[nodiscard]] std::size_t count_values(const JsonValue& value);

[[nodiscard]] bool is_number(const JsonValue& value);

// A text that two values share exactly if they are equal: numbers by their worth, objects without regard to order.
// Nothing when the budget is spent.
[[nodiscard]] std::optional<std::string> canonical_text(const JsonValue& value, WorkBudget& budget);

// Compact JSON, cut for a message.
[[nodiscard]] std::string shown(const JsonValue& value);
[[nodiscard]] std::string shown_text(std::string_view text);

// Appends one step to a JSON Pointer (RFC 6901).
[[nodiscard]] std::string pointer_step(std::string_view pointer, std::string_view key);

// A step from a document's root to the value that is looked at: a key or an index.
using PathStep = std::variant<std::string_view, std::size_t>;
// The pointer, cut for a message: keys may be as long as the document.
[[nodiscard]] std::string shown_path(std::span<const PathStep> path);

// Number of Unicode characters.
[[nodiscard]] std::size_t count_characters(std::string_view utf8);

}  // namespace glovebox::verification

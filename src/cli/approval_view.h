// What `glovebox approvals show` prints: everything that decides, to its end, and loudly what is missing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "contract/json_reader.h"

namespace glovebox::cli {

// A text of an object that a service sent; empty when it is not there or no text.
[[nodiscard]] std::string text_of(const contract::JsonNode& object, std::string_view name);
[[nodiscard]] std::optional<contract::JsonNode> part_of(const contract::JsonNode& object, std::string_view name);

// How an approval that a service sent is parsed: what it expects may stand deep in it.
[[nodiscard]] contract::JsonOptions approval_json();

// `json` is an approval as the service sent it.
[[nodiscard]] base::Result<std::string> approval_text(std::string_view json);

}  // namespace glovebox::cli

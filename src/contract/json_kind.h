// What a JSON value is, in words for messages: "a number", "an array".
#pragma once

#include <string_view>

#include "contract/json_parse.h"

namespace glovebox::contract {

[[nodiscard]] std::string_view kind_name(JsonValue::Kind kind);

}  // namespace glovebox::contract

// Fields of a JSON object, one call each.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/timestamp.h"
#include "contract/json_writer.h"

namespace glovebox::cli {

inline void write_text(contract::JsonWriter& json, std::string_view name, std::string_view value) {
  json.key(name);
  json.string(value);
}

inline void write_text_or_null(contract::JsonWriter& json, std::string_view name, std::string_view value) {
  json.key(name);
  json.string_or_null(value);
}

inline void write_count(contract::JsonWriter& json, std::string_view name, std::uint64_t value) {
  json.key(name);
  json.integer(value);
}

inline void write_flag(contract::JsonWriter& json, std::string_view name, bool value) {
  json.key(name);
  json.boolean(value);
}

inline void write_time(contract::JsonWriter& json, std::string_view name, std::optional<std::int64_t> unix_ms) {
  write_text_or_null(json, name, unix_ms ? base::format_timestamp_ms(*unix_ms) : "");
}

}  // namespace glovebox::cli

// Moments and spans of time as people type and read them: 2h, 90d, 2025-11-16T02:03:04Z; "3 min".
//
// Callers give the time, so that tests own the clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "contract/json_writer.h"

namespace glovebox::cli {

// What base::parse_duration_ms reads, and d for days and w for weeks; at most a hundred years.
[[nodiscard]] base::Result<std::int64_t> parse_span_ms(std::string_view text);
// A span before `now_ms`, or a timestamp of RFC 3339.
[[nodiscard]] base::Result<std::int64_t> parse_past_ms(std::string_view text, std::int64_t now_ms);
// A span after `now_ms`, or a timestamp of RFC 3339 that is still to come.
[[nodiscard]] base::Result<std::int64_t> parse_future_ms(std::string_view text, std::int64_t now_ms);

// One number and one unit: "12 s", "3 min", "5 h", "12 d". Never negative.
[[nodiscard]] std::string format_span(std::int64_t ms);
// "3 min ago".
[[nodiscard]] std::string format_ago(std::int64_t then_ms, std::int64_t now_ms);
// A member of an object: the moment as a timestamp, or null.
void write_time(contract::JsonWriter& json, std::string_view name, std::optional<std::int64_t> unix_ms);

}  // namespace glovebox::cli

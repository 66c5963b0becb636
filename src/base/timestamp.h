// Moments as RFC 3339 writes them. Ours are always in UTC, with milliseconds: 2025-11-16T02:03:04.005Z.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace glovebox::base {

// Years 0 to 9999.
[[nodiscard]] std::string format_timestamp_ms(std::int64_t unix_ms);
// With Z or an offset (+02:00), with or without a fraction. Nothing for another form, or a date that does not exist.
[[nodiscard]] std::optional<std::int64_t> parse_timestamp_ms(std::string_view text);

}  // namespace glovebox::base

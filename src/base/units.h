// Sizes and durations as people write them: 256M, 64KiB, 5s, 250ms, 2m.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace glovebox::base {

// Binary multiples: K, KB and KiB are all 1024. A bare number is bytes.
[[nodiscard]] Result<std::uint64_t> parse_size(std::string_view text);
// ms, s, m, h; a bare number is seconds; fractions are allowed (0.5s). The answer is in milliseconds.
[[nodiscard]] Result<std::uint64_t> parse_duration_ms(std::string_view text);
// "256 MiB", "1.5 KiB", "12 bytes".
[[nodiscard]] std::string format_size(std::uint64_t bytes);
// "250 ms", "5 s", "1.5 s".
[[nodiscard]] std::string format_duration_ms(std::uint64_t ms);

}  // namespace glovebox::base

// zlib's decompressor for foreign data: output goes through a small buffer, and never beyond what the caller expects.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "verification/work_budget.h"

namespace glovebox::verification {

enum class InflationForm { zlib, raw };
enum class BehindTheEnd { refused, ignored };

// Hands the output on in pieces; the pieces of `parts` are one stream. Fails when the data is damaged, when the stream
// does not end in it, or before the last part's end, and when more than max_bytes come out. Returns how many did.
[[nodiscard]] base::Result<std::uint64_t> inflate(std::span<const std::string_view> parts, InflationForm form,
                                                  std::uint64_t max_bytes,
                                                  const std::function<base::Status(std::string_view)>& take,
                                                  WorkBudget& budget, BehindTheEnd behind = BehindTheEnd::refused);

// CRC-32 as PNG and zip use it.
[[nodiscard]] std::uint32_t crc32_of(std::string_view bytes, std::uint32_t so_far = 0);

}  // namespace glovebox::verification

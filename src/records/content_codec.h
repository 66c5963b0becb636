// Bytes as they are kept: zstd where that helps, as they are where it does not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace glovebox::records {

inline constexpr std::uint64_t kMaxContentBytes = std::uint64_t{4} << 30U;

[[nodiscard]] std::string compress(std::string_view bytes);

// Exactly `bytes` bytes or an error: the size is known beforehand and believed to nobody else, so that a small file
// cannot fill the memory.
[[nodiscard]] base::Result<std::string> decompress(std::string_view compressed, std::uint64_t bytes);

}  // namespace glovebox::records

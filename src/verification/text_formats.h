// The values of a schema's "format" that are checked. Any other is refused, because a format that nobody checks would
// look like one that holds.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace glovebox::verification {

using FormatCheck = bool (*)(std::string_view text);

struct TextFormat {
  std::string_view name;
  FormatCheck holds;
  std::uint64_t steps = 1;  // of work, beside one per byte
};

[[nodiscard]] std::span<const TextFormat> text_formats();
// Null for a name that is not in the list.
[[nodiscard]] const TextFormat* find_text_format(std::string_view name);

}  // namespace glovebox::verification

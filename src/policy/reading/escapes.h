// Escape sequences of string literals, as Python, JavaScript and bash have them in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace glovebox::policy {

// Resolves \n, \x41, \u0041, \u{41}, \U00000041, \101, \<newline> and escaped quotes. An unknown escape keeps its
// character, and with keep_unknown its backslash too, as Python does.
enum class UnknownEscape { keep_backslash, drop_backslash };
[[nodiscard]] std::string unescape(std::string_view raw, UnknownEscape unknown);

void append_utf8(std::string& text, std::uint32_t character);

// A number literal: decimal, 0x, 0o, 0b, underscores.
[[nodiscard]] std::optional<std::uint32_t> parse_integer(std::string_view text);

}  // namespace glovebox::policy

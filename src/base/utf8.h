// Bytes from a cell become text here: valid UTF-8, and harmless on a terminal (L6).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace glovebox::base {

[[nodiscard]] bool is_valid_utf8(std::string_view bytes);

// Characters of valid UTF-8 text.
[[nodiscard]] std::size_t count_characters(std::string_view text);

// Replaces every malformed sequence by U+FFFD, as the Unicode standard recommends (maximal subparts).
[[nodiscard]] std::string to_valid_utf8(std::string_view bytes);

// to_valid_utf8, and without terminal control: CSI, OSC, DCS and other escape sequences are removed whole,
// other control characters except tab, newline and carriage return before a newline are dropped.
// Bidirectional overrides and zero-width formatting that can disguise text are dropped too.
[[nodiscard]] std::string sanitize_output(std::string_view bytes);

// How much of a stream's beginning can be cleaned by itself: everything but a character or an escape sequence at the
// end that may still be going on. Gives up on what is longer than any real one.
[[nodiscard]] std::size_t complete_prefix(std::string_view bytes);

// Control characters (C0 and C1) or formatting that can disguise text, in valid UTF-8. Names from outside must have
// none.
[[nodiscard]] bool has_deceptive_characters(std::string_view text);

// For messages and for code that a person has to judge: control characters, whatever cannot be seen, and malformed
// bytes as \xNN, cut after max_bytes with an ellipsis.
[[nodiscard]] std::string printable(std::string_view bytes, std::size_t max_bytes);

}  // namespace glovebox::base

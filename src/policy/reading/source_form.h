// The form of a text, before anybody parses it: what a language does to characters that a parser takes as they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/program_facts.h"

namespace glovebox::policy {

// A carriage return alone ends a line in Python. The text with a newline in each such place and all others where they
// were; nothing: there is none.
[[nodiscard]] std::optional<std::string> with_plain_line_ends(Syntax syntax, std::string_view text);

struct HiddenText {
  std::string why;
  std::uint32_t at = 0;
};

// Whether the language reads other characters than the text shows: a comment that names another encoding (PEP 263), or
// a zero byte, at which one reader stops and which another one leaves out.
[[nodiscard]] std::optional<HiddenText> find_hidden_text(Syntax syntax, std::string_view text);

}  // namespace glovebox::policy

// The form of a text, before anybody parses it: what a language does to characters that a parser takes as they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/program_facts.h"
#include "policy/reading/syntax_tree.h"

namespace glovebox::policy {

// Parsers and languages disagree about some separators:
//   - a carriage return alone ends a line in Python and JavaScript,
//   - U+2028 and U+2029 end the line "#!…" of JavaScript,
//   - in a shell neither a carriage return nor a form feed nor a vertical tab is anything but a letter of a word, so
//   that
//     a # behind it begins no comment.
// The text as the language has it, with all bytes where they were; nothing: as it is.
[[nodiscard]] std::optional<std::string> with_plain_separators(Syntax syntax, std::string_view text);

struct HiddenText {
  std::string why;
  std::uint32_t at = 0;
};

// Whether the language reads other characters than the text shows: a comment that names another encoding (PEP 263), or
// a zero byte, at which one reader stops and which another one leaves out.
[[nodiscard]] std::optional<HiddenText> find_hidden_text(Syntax syntax, std::string_view text);

// Whether a program of JavaScript has what is a comment in a script and code in a module: <!-- behind a value, or -->
// at the beginning of a line. What follows may be hidden from one of the two.
[[nodiscard]] std::optional<HiddenText> find_unclear_comment(Syntax syntax, std::string_view text,
                                                             const SyntaxTree& tree);

}  // namespace glovebox::policy

// Methods of constant strings that programs use to hide a name, done at reading time. None makes a text longer.
#pragma once

#include <string>
#include <string_view>

namespace glovebox::policy {

enum class LetterCase { lower, upper };
[[nodiscard]] std::string change_case(std::string text, LetterCase to);  // of ASCII letters

enum class Occurrences { first, all };
[[nodiscard]] std::string replace_text(std::string text, std::string_view from, std::string_view to, Occurrences which);

[[nodiscard]] std::string trim_blanks(std::string_view text);

}  // namespace glovebox::policy

// Small questions about ASCII text, for parsers that must not depend on the locale.
#pragma once

#include <string_view>
#include <vector>

namespace glovebox::base {

[[nodiscard]] constexpr bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

[[nodiscard]] constexpr bool is_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

// Without the spaces and tabs around it.
[[nodiscard]] constexpr std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The parts between separators: one more than there are separators, empty ones included.
[[nodiscard]] inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
}

}  // namespace glovebox::base

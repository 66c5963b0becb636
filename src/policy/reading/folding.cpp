#include "policy/reading/folding.h"

namespace glovebox::policy {

std::string change_case(std::string text, LetterCase to) {
  for (char& each : text) {
    const bool changes = to == LetterCase::upper ? each >= 'a' && each <= 'z' : each >= 'A' && each <= 'Z';
    each = changes ? static_cast<char>(each ^ 0x20) : each;
  }
  return text;
}

std::string replace_text(std::string text, std::string_view from, std::string_view to, Occurrences which) {
  std::string result;
  std::string_view rest = text;
  for (std::size_t at = rest.find(from); !from.empty() && at != std::string_view::npos; at = rest.find(from)) {
    result.append(rest.substr(0, at)).append(to);
    rest.remove_prefix(at + from.size());
    if (which == Occurrences::first) {
      break;
    }
  }
  return result.append(rest);
}

std::string trim_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\r\f\v";
  const std::size_t start = text.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) {
    return {};
  }
  return std::string(text.substr(start, text.find_last_not_of(kBlanks) - start + 1));
}

}  // namespace glovebox::policy

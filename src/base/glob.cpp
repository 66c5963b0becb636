#include "base/glob.h"

#include <vector>

#include "base/text.h"

namespace glovebox::base {
namespace {

// Matches one character against the class that starts at pattern[at] == '['; `next` is set behind the class.
// An unterminated class matches '[' literally.
bool match_class(std::string_view pattern, std::size_t at, char letter, std::size_t& next) {
  std::size_t index = at + 1;
  const bool negated = index < pattern.size() && (pattern[index] == '!' || pattern[index] == '^');
  index += negated ? 1 : 0;
  bool found = false;
  bool first = true;
  while (index < pattern.size() && (pattern[index] != ']' || first)) {
    first = false;
    if (index + 2 < pattern.size() && pattern[index + 1] == '-' && pattern[index + 2] != ']') {
      found = found || (pattern[index] <= letter && letter <= pattern[index + 2]);
      index += 3;
    } else {
      found = found || pattern[index] == letter;
      ++index;
    }
  }
  if (index >= pattern.size()) {
    next = at + 1;
    return letter == '[';
  }
  next = index + 1;
  return found != negated;
}

// Classic two-pointer wildcard match of one part.
bool match_part(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_text = 0;
  while (t < text.size()) {
    std::size_t next = p + 1;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
      continue;
    }
    const bool fits =
        p < pattern.size() && (pattern[p] == '?' || (pattern[p] == '[' && match_class(pattern, p, text[t], next)) ||
                               (pattern[p] != '[' && pattern[p] == text[t]));
    if (fits) {
      p = next;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') {
    ++p;
  }
  return p == pattern.size();
}

}  // namespace

bool glob_match(std::string_view pattern, std::string_view path) {
  const auto want = split(pattern, '/');
  const auto have = split(path, '/');
  // reachable[i]: the pattern's first parts can match the path's first i parts.
  std::vector<bool> reachable(have.size() + 1, false);
  reachable[0] = true;
  for (const std::string_view part : want) {
    std::vector<bool> next(have.size() + 1, false);
    if (part == "**") {
      bool seen = false;
      for (std::size_t index = 0; index <= have.size(); ++index) {
        seen = seen || reachable[index];
        next[index] = seen;
      }
    } else {
      for (std::size_t index = 0; index < have.size(); ++index) {
        next[index + 1] = reachable[index] && match_part(part, have[index]);
      }
    }
    reachable = std::move(next);
  }
  return reachable[have.size()];
}

}  // namespace glovebox::base

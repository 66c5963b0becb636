#include "runner/text_diff.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace glovebox::runner {
namespace {

constexpr std::size_t kMostLines = 1000;  // the table has their square
constexpr std::size_t kContext = 3;
constexpr std::size_t kMostBytes = 16U << 10U;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < kMostLines) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

struct Step {
  char mark;  // ' ', '-', '+'
  std::string_view line;
};

// The longest common subsequence, from a table of the lengths for every pair of ends.
std::vector<Step> steps_between(const std::vector<std::string_view>& before,
                                const std::vector<std::string_view>& after) {
  const std::size_t width = after.size() + 1;
  std::vector<std::uint16_t> common((before.size() + 1) * width, 0);
  for (std::size_t left = before.size(); left-- > 0;) {
    for (std::size_t right = after.size(); right-- > 0;) {
      common[left * width + right] =
          before[left] == after[right] ? static_cast<std::uint16_t>(common[(left + 1) * width + right + 1] + 1)
                                       : std::max(common[(left + 1) * width + right], common[left * width + right + 1]);
    }
  }
  std::vector<Step> steps;
  std::size_t left = 0;
  std::size_t right = 0;
  while (left < before.size() || right < after.size()) {
    if (left < before.size() && right < after.size() && before[left] == after[right]) {
      steps.push_back({' ', before[left]});
      ++left;
      ++right;
    } else if (right == after.size() ||
               (left < before.size() && common[(left + 1) * width + right] >= common[left * width + right + 1])) {
      steps.push_back({'-', before[left++]});
    } else {
      steps.push_back({'+', after[right++]});
    }
  }
  return steps;
}

}  // namespace

std::string line_diff(std::string_view before, std::string_view after) {
  const std::vector<Step> steps = steps_between(lines_of(before), lines_of(after));
  std::vector<bool> shown(steps.size(), false);
  for (std::size_t index = 0; index < steps.size(); ++index) {
    if (steps[index].mark != ' ') {
      const std::size_t end = std::min(steps.size(), index + kContext + 1);
      std::fill(shown.begin() + static_cast<std::ptrdiff_t>(index - std::min(index, kContext)),
                shown.begin() + static_cast<std::ptrdiff_t>(end), true);
    }
  }
  std::string text;
  for (std::size_t index = 0; index < steps.size() && text.size() < kMostBytes; ++index) {
    if (!shown[index]) {
      if (index > 0 && shown[index - 1]) {
        text += "...\n";
      }
      continue;
    }
    text += steps[index].mark;
    text += steps[index].line.substr(0, kMostBytes);
    if (!steps[index].line.ends_with('\n')) {
      text += "\n\\ no newline at the end\n";
    }
  }
  return text;
}

}  // namespace glovebox::runner

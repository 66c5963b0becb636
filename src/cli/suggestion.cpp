#include "cli/suggestion.h"

#include <algorithm>
#include <vector>

namespace glovebox::cli {
namespace {

constexpr std::size_t kMaxTypedBytes = 64;

// Letters to insert, remove or change, and neighbours to swap (optimal string alignment).
std::size_t distance(std::string_view from, std::string_view to) {
  const std::size_t width = to.size() + 1;
  std::vector<std::size_t> cells((from.size() + 1) * width);
  const auto at = [&](std::size_t row, std::size_t column) -> std::size_t& { return cells[row * width + column]; };
  for (std::size_t row = 0; row <= from.size(); ++row) {
    for (std::size_t column = 0; column <= to.size(); ++column) {
      if (row == 0 || column == 0) {
        at(row, column) = row + column;
        continue;
      }
      const bool same = from[row - 1] == to[column - 1];
      std::size_t best = at(row - 1, column - 1) + (same ? 0 : 1);
      best = std::min({best, at(row - 1, column) + 1, at(row, column - 1) + 1});
      if (row > 1 && column > 1 && from[row - 1] == to[column - 2] && from[row - 2] == to[column - 1]) {
        best = std::min(best, at(row - 2, column - 2) + 1);
      }
      at(row, column) = best;
    }
  }
  return cells.back();
}

}  // namespace

std::optional<std::string> closest(std::string_view typed, std::span<const std::string> known) {
  if (typed.size() > kMaxTypedBytes) {
    return std::nullopt;
  }
  std::optional<std::string> found;
  std::size_t least = std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (const std::string& word : known) {
    if (const std::size_t far = distance(typed, word); far < least) {
      least = far;
      found = word;
    }
  }
  return found;
}

std::string did_you_mean(std::string_view typed, std::span<const std::string> known) {
  const auto found = closest(typed, known);
  return found ? "; did you mean " + *found + "?" : "";
}

}  // namespace glovebox::cli

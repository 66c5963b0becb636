#include "verification/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "base/utf8.h"
#include "verification/decimal.h"

namespace glovebox::verification {
namespace {

using contract::Comparison;
using Kind = JsonValue::Kind;

std::optional<double> as_double(std::string_view text) {
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

bool same_number(std::string_view left, std::string_view right, std::optional<double> tolerance) {
  const auto exact_left = Decimal::parse(left);
  const auto exact_right = Decimal::parse(right);
  if (exact_left && exact_right && *exact_left == *exact_right) {
    return true;
  }
  const auto near_left = as_double(left);
  const auto near_right = as_double(right);
  return tolerance && near_left && near_right && std::abs(*near_left - *near_right) <= *tolerance;
}

std::string differ(std::string_view left, std::string_view right, const Sides& sides) {
  return fmt::format("{} {}, {} {}", left, sides.left, right, sides.right);
}

class TreeComparison {
 public:
  TreeComparison(std::optional<double> tolerance, const Sides& sides, WorkBudget& budget)
      : tolerance_(tolerance), sides_(sides), budget_(budget) {}

  std::string compare(const JsonValue& left, const JsonValue& right, const std::string& at) {
    if (!budget_.spend(1 + (left.text.size() + right.text.size()) / 64)) {
      return kOutOfBudget;
    }
    if (is_number(left) && is_number(right)) {
      return same_number(left.text, right.text, tolerance_) ? "" : told(at, left, right);
    }
    if (left.kind != right.kind || left.text != right.text) {
      return told(at, left, right);
    }
    if (left.members.size() != right.members.size()) {
      return told(at, left, right) + fmt::format(" ({} and {} elements)", left.members.size(), right.members.size());
    }
    return left.kind == Kind::object ? objects(left, right, at) : arrays(left, right, at);
  }

 private:
  std::string told(const std::string& at, const JsonValue& left, const JsonValue& right) const {
    return (at.empty() ? "" : base::printable(at, kShownBytes) + ": ") + differ(shown(left), shown(right), sides_);
  }

  std::string arrays(const JsonValue& left, const JsonValue& right, const std::string& at) {
    for (std::size_t index = 0; index < left.members.size(); ++index) {
      std::string difference =
          compare(left.members[index].value, right.members[index].value, pointer_step(at, std::to_string(index)));
      if (!difference.empty()) {
        return difference;
      }
    }
    return "";
  }

  std::string objects(const JsonValue& left, const JsonValue& right, const std::string& at) {
    std::map<std::string_view, const JsonValue*> by_key;
    for (const JsonMember& member : right.members) {
      by_key[member.key] = &member.value;
    }
    for (const JsonMember& member : left.members) {
      const auto found = by_key.find(member.key);
      if (found == by_key.end()) {
        return told(at, left, right);
      }
      std::string difference = compare(member.value, *found->second, pointer_step(at, member.key));
      if (!difference.empty()) {
        return difference;
      }
    }
    return "";
  }

  std::optional<double> tolerance_;
  const Sides& sides_;
  WorkBudget& budget_;
};

// How often each element is there; nothing when the budget is spent.
using Tally = std::map<std::string, std::pair<std::size_t, std::string>>;  // canonical → count, shown

std::optional<Tally> tally_of(const JsonValue& array, WorkBudget& budget) {
  Tally tally;
  for (const JsonMember& member : array.members) {
    auto text = canonical_text(member.value, budget);
    if (!text) {
      return std::nullopt;
    }
    auto& entry = tally[std::move(*text)];
    if (++entry.first == 1) {
      entry.second = shown(member.value);
    }
  }
  return tally;
}

enum class Repeats { count, ignored };

std::string compare_tallies(const Tally& left, const Tally& right, Repeats repeats, const Sides& sides) {
  const auto only_in = [&](const Tally& one, const Tally& other, std::string_view side) -> std::string {
    for (const auto& [key, entry] : one) {
      const auto found = other.find(key);
      if (found == other.end() || (repeats == Repeats::count && found->second.first < entry.first)) {
        return fmt::format("{} {}{}", entry.second, side,
                           found == other.end() ? " on one side only" : " more often than on the other side");
      }
    }
    return "";
  };
  std::string difference = only_in(left, right, sides.left);
  return difference.empty() ? only_in(right, left, sides.right) : difference;
}

// Split at spaces, commas and the like, so that "a=1.50, b=2" has the words a 1.50 b 2.
std::optional<std::string_view> next_word(std::string_view& text) {
  constexpr std::string_view kBetween = " \t\r\n,;:=()[]{}|";
  text.remove_prefix(std::min(text.find_first_not_of(kBetween), text.size()));
  if (text.empty()) {
    return std::nullopt;
  }
  const std::string_view word = text.substr(0, text.find_first_of(kBetween));
  text.remove_prefix(word.size());
  return word;
}

std::string compare_words(std::string_view left, std::string_view right, double tolerance, const Sides& sides,
                          WorkBudget& budget) {
  for (std::size_t count = 1;; ++count) {
    const auto left_word = next_word(left);
    const auto right_word = next_word(right);
    if (!left_word && !right_word) {
      return "";
    }
    if (!budget.spend(1)) {
      return kOutOfBudget;
    }
    const bool same =
        left_word && right_word && (*left_word == *right_word || same_number(*left_word, *right_word, tolerance));
    if (!same) {
      return fmt::format("word {}: ", count) + differ(left_word ? shown_text(*left_word) : "nothing",
                                                      right_word ? shown_text(*right_word) : "nothing", sides);
    }
  }
}

JsonValue lines_of(std::string_view text) {
  JsonValue lines;
  lines.kind = Kind::array;
  while (!text.empty() && lines.members.size() < kMaxDocumentValues) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    JsonValue line;
    line.kind = Kind::string;
    line.text = text.substr(0, end);
    lines.members.push_back({"", std::move(line)});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string compare_sets(const JsonValue& left, const JsonValue& right, Repeats repeats, const Sides& sides,
                         WorkBudget& budget) {
  if (left.kind != Kind::array || right.kind != Kind::array) {
    return differ(shown(left), shown(right), sides) + "; only lists can be compared without their order";
  }
  const auto left_tally = tally_of(left, budget);
  const auto right_tally = tally_of(right, budget);
  return left_tally && right_tally ? compare_tallies(*left_tally, *right_tally, repeats, sides) : kOutOfBudget;
}

}  // namespace

std::string difference_of(const JsonValue& left, const JsonValue& right, std::optional<double> tolerance,
                          const Sides& sides, WorkBudget& budget) {
  return TreeComparison(tolerance, sides, budget).compare(left, right, "");
}

std::string difference_of_elements(const JsonValue& left, const JsonValue& right, const Sides& sides,
                                   WorkBudget& budget) {
  return compare_sets(left, right, Repeats::count, sides, budget);
}

std::string difference_of_texts(std::string_view left, std::string_view right, Comparison comparison,
                                std::optional<double> tolerance, const Sides& sides, WorkBudget& budget) {
  switch (comparison) {
    case Comparison::exact:
      return left == right ? "" : differ("\"" + shown_text(left) + "\"", "\"" + shown_text(right) + "\"", sides);
    case Comparison::numeric:
      return compare_words(left, right, tolerance.value_or(0), sides, budget);
    case Comparison::set:
      if (static_cast<std::size_t>(std::count(left.begin(), left.end(), '\n')) >= kMaxDocumentValues ||
          static_cast<std::size_t>(std::count(right.begin(), right.end(), '\n')) >= kMaxDocumentValues) {
        return "not checked: too many lines";
      }
      return compare_sets(lines_of(left), lines_of(right), Repeats::ignored, sides, budget);
    case Comparison::json:
      return difference_of_values(left, right, comparison, tolerance, sides, budget);
  }
  return "not compared";
}

std::string difference_of_values(std::string_view left_json, std::string_view right_json, Comparison comparison,
                                 std::optional<double> tolerance, const Sides& sides, WorkBudget& budget) {
  const auto left = read_document(left_json);
  const auto right = read_document(right_json);
  if (!left || !right) {
    return fmt::format("what {} is no JSON document: {}", left ? sides.right : sides.left,
                       (left ? right : left).error().message);
  }
  return comparison == Comparison::set ? compare_sets(*left, *right, Repeats::ignored, sides, budget)
                                       : difference_of(*left, *right, tolerance, sides, budget);
}

}  // namespace glovebox::verification

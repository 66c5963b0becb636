#include "verification/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/utf8.h"
#include "verification/decimal.h"
#include "verification/refusal.h"

namespace glovebox::verification {
namespace {

using base::Result;
using contract::Comparison;
using Kind = JsonValue::Kind;

// A number as programs print it: JSON's grammar, and also +1, .5, 5. and 007.
std::optional<Decimal> printed_number(std::string_view word) {
  if (auto number = Decimal::parse(word); number) {
    return number;
  }
  std::string text;
  if (word.starts_with('-') || word.starts_with('+')) {
    text = word.starts_with('-') ? "-" : "";
    word.remove_prefix(1);
  }
  const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
  const std::string_view whole =
      word.substr(0, static_cast<std::size_t>(std::find_if_not(word.begin(), word.end(), is_digit) - word.begin()));
  word.remove_prefix(whole.size());
  std::string_view fraction;
  if (word.starts_with('.')) {
    word.remove_prefix(1);
    fraction =
        word.substr(0, static_cast<std::size_t>(std::find_if_not(word.begin(), word.end(), is_digit) - word.begin()));
    word.remove_prefix(fraction.size());
  }
  if (whole.empty() && fraction.empty()) {
    return std::nullopt;
  }
  text += whole.substr(std::min(whole.find_first_not_of('0'), whole.size()));
  text += text.empty() || text == "-" ? "0" : "";
  if (!fraction.empty()) {
    text += '.';
    text += fraction;
  }
  text += word;  // an exponent, or nothing that is a number
  return Decimal::parse(text);
}

std::optional<Decimal> exact_tolerance(std::optional<double> tolerance) {
  return tolerance && *tolerance != 0 ? std::optional(Decimal::from_double(*tolerance)) : std::nullopt;
}

bool same_number(const Decimal& left, const Decimal& right, const std::optional<Decimal>& tolerance) {
  return tolerance ? Decimal::are_within(left, right, *tolerance) : left == right;
}

std::string differ(std::string_view left, std::string_view right, const Sides& sides) {
  return fmt::format("{} {}, {} {}", left, sides.left, right, sides.right);
}

class TreeComparison {
 public:
  TreeComparison(std::optional<double> tolerance, const Sides& sides, WorkBudget& budget)
      : tolerance_(exact_tolerance(tolerance)), sides_(sides), budget_(budget) {}

  std::string compare(const JsonValue& left, const JsonValue& right) {
    if (!budget_.spend(1 + (left.text.size() + right.text.size()) / 16)) {
      return kOutOfBudget;
    }
    if (is_number(left) && is_number(right)) {
      return same(left, right) ? "" : told(left, right);
    }
    if (left.kind != right.kind || left.text != right.text) {
      return told(left, right);
    }
    if (left.members.size() != right.members.size()) {
      return told(left, right) + fmt::format(" ({} and {} elements)", left.members.size(), right.members.size());
    }
    return left.kind == Kind::object ? objects(left, right) : arrays(left, right);
  }

 private:
  [[nodiscard]] bool same(const JsonValue& left, const JsonValue& right) const {
    if (left.text == right.text) {
      return true;
    }
    const auto left_number = Decimal::parse(left.text);
    const auto right_number = Decimal::parse(right.text);
    return left_number && right_number && same_number(*left_number, *right_number, tolerance_);
  }

  [[nodiscard]] std::string told(const JsonValue& left, const JsonValue& right) const {
    return (path_.empty() ? "" : shown_path(path_) + ": ") + differ(shown(left), shown(right), sides_);
  }

  std::string compare_below(const JsonValue& left, const JsonValue& right, PathStep step) {
    path_.push_back(step);
    std::string difference = compare(left, right);
    path_.pop_back();
    return difference;
  }

  std::string arrays(const JsonValue& left, const JsonValue& right) {
    for (std::size_t index = 0; index < left.members.size(); ++index) {
      std::string difference = compare_below(left.members[index].value, right.members[index].value, index);
      if (!difference.empty()) {
        return difference;
      }
    }
    return "";
  }

  std::string objects(const JsonValue& left, const JsonValue& right) {
    std::map<std::string_view, const JsonValue*> by_key;
    for (const JsonMember& member : right.members) {
      if (!budget_.spend(steps_to_insert(by_key.size(), member.key.size()))) {
        return kOutOfBudget;
      }
      by_key[member.key] = &member.value;
    }
    for (const JsonMember& member : left.members) {
      if (!budget_.spend(steps_to_insert(by_key.size(), member.key.size()))) {
        return kOutOfBudget;
      }
      const auto found = by_key.find(member.key);
      if (found == by_key.end()) {
        return told(left, right);
      }
      std::string difference = compare_below(member.value, *found->second, std::string_view(member.key));
      if (!difference.empty()) {
        return difference;
      }
    }
    return "";
  }

  std::optional<Decimal> tolerance_;
  const Sides& sides_;
  WorkBudget& budget_;
  std::vector<PathStep> path_;
};

// How often each element is there; nothing when the budget is spent.
using Tally = std::map<std::string, std::pair<std::size_t, std::string>>;  // canonical → count, shown

std::optional<Tally> tally_of(const JsonValue& array, WorkBudget& budget) {
  Tally tally;
  for (const JsonMember& member : array.members) {
    auto text = canonical_text(member.value, budget);
    if (!text || !budget.spend(steps_to_insert(tally.size(), text->size())) || !budget.hold(text->size())) {
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

std::string compare_words(std::string_view left, std::string_view right, std::optional<double> given,
                          const Sides& sides, WorkBudget& budget) {
  const auto tolerance = exact_tolerance(given);
  const auto same_words = [&](std::string_view one, std::string_view other) {
    if (one == other) {
      return true;
    }
    const auto one_number = printed_number(one);
    const auto other_number = one_number ? printed_number(other) : std::nullopt;
    return other_number && same_number(*one_number, *other_number, tolerance);
  };
  // Looking for words is paid here, comparing them below.
  if (!budget.spend(1 + (left.size() + right.size()) / 4)) {
    return kOutOfBudget;
  }
  for (std::size_t count = 1;; ++count) {
    const auto left_word = next_word(left);
    const auto right_word = next_word(right);
    if (!left_word && !right_word) {
      return "";
    }
    if (!budget.spend(1 + (left_word.value_or("").size() + right_word.value_or("").size()) / 8)) {
      return kOutOfBudget;
    }
    if (!left_word || !right_word || !same_words(*left_word, *right_word)) {
      return fmt::format("word {}: ", count) + differ(left_word ? shown_text(*left_word) : "nothing",
                                                      right_word ? shown_text(*right_word) : "nothing", sides);
    }
  }
}

Result<JsonValue> lines_of(std::string_view text, WorkBudget& budget) {
  JsonValue lines;
  lines.kind = Kind::array;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (lines.members.size() >= kMaxDocumentValues || !budget.spend(4 + end / 16)) {
      return refuse(lines.members.size() >= kMaxDocumentValues ? "not checked: too many lines" : kOutOfBudget);
    }
    if (!budget.hold(kBytesPerValue + end)) {
      return refuse(kOutOfMemory);
    }
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
  return TreeComparison(tolerance, sides, budget).compare(left, right);
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
      return compare_words(left, right, tolerance, sides, budget);
    case Comparison::set: {
      const MemoryScope scope(budget);
      const auto left_lines = lines_of(left, budget);
      const auto right_lines = lines_of(right, budget);
      if (!left_lines || !right_lines) {
        return (left_lines ? right_lines : left_lines).error().message;
      }
      return compare_sets(*left_lines, *right_lines, Repeats::ignored, sides, budget);
    }
    case Comparison::json:
      return difference_of_values(left, right, comparison, tolerance, sides, budget);
  }
  return "not compared";
}

std::string difference_of_values(std::string_view left_json, std::string_view right_json, Comparison comparison,
                                 std::optional<double> tolerance, const Sides& sides, WorkBudget& budget) {
  const MemoryScope scope(budget);
  const auto left = read_document(left_json, budget);
  const auto right = read_document(right_json, budget);
  if (!left || !right) {
    return fmt::format("what {} is no JSON document: {}", left ? sides.right : sides.left,
                       (left ? right : left).error().message);
  }
  return comparison == Comparison::set ? compare_sets(*left, *right, Repeats::ignored, sides, budget)
                                       : difference_of(*left, *right, tolerance, sides, budget);
}

}  // namespace glovebox::verification

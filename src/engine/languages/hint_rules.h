// Tables of advice: a part of a message, or a type, and the hint that goes with it. The first rule that fits wins.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace glovebox::engine {

inline constexpr std::size_t kMaxHintedNameBytes = 80;

using HintRule = std::pair<std::string_view, std::string_view>;

template <std::size_t size>
[[nodiscard]] std::string_view find_part(const std::array<HintRule, size>& rules, std::string_view message) {
  const auto rule = std::find_if(rules.begin(), rules.end(), [&](const HintRule& each) {
    return message.find(each.first) != std::string_view::npos;
  });
  return rule == rules.end() ? std::string_view() : rule->second;
}

template <std::size_t size>
[[nodiscard]] std::string_view find_same(const std::array<HintRule, size>& rules, std::string_view name) {
  const auto rule = std::find_if(rules.begin(), rules.end(), [&](const HintRule& each) { return each.first == name; });
  return rule == rules.end() ? std::string_view() : rule->second;
}

}  // namespace glovebox::engine

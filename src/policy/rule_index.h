// The names of rules, so that a fact finds its rules without a look at each of them.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/name_pattern.h"
#include "policy/profile.h"

namespace glovebox::policy {

class RuleIndex {
 public:
  void add(const Rule& rule, std::uint32_t number) {
    PatternIndex& index = rule.verdict == Verdict::allow ? allowing_ : stricter_;
    for (std::size_t kind = 0; kind < kFactKinds; ++kind) {
      for (const std::string& name : rule.names[kind]) {
        index.add(static_cast<FactKind>(kind), name, number);
      }
    }
  }

  // The numbers of all rules that are about the fact; stricter ones first.
  void find(const Fact& fact, std::vector<std::uint32_t>& numbers) const {
    stricter_.find(fact, numbers);
    stricter_.find_taken_along(fact, numbers);
    std::vector<std::uint32_t> allowing;
    allowing_.find(fact, allowing);
    numbers.insert(numbers.end(), allowing.begin(), allowing.end());
  }
  // Of the rules that ask or deny, those about importing the module that a name belongs to.
  void find_module_of(std::string_view name, std::vector<std::uint32_t>& numbers) const {
    stricter_.find_module_of(name, numbers);
  }
  // Of the rules that ask or deny, those about something below the name.
  void find_below(FactKind kind, std::string_view name, std::vector<std::uint32_t>& numbers) const {
    stricter_.find_below(kind, name, numbers);
  }

 private:
  PatternIndex allowing_;
  PatternIndex stricter_;
};

}  // namespace glovebox::policy

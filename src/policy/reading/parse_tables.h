// A grammar's parse tables: what to do with a symbol in a state.
//
// Large states have a row for all symbols, small ones a list that has to be searched, and the actions stand in a third
// table. Programs ask for the same few thousand pairs again and again, so the answers are kept.
#pragma once

#include <tree_sitter/parser.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace glovebox::policy {

class ParseTables {
 public:
  struct Answer {
    std::uint32_t key = 0;    // state and symbol; nobody asks about state 0
    std::uint16_t value = 0;  // the next state, or where the actions stand; 0: the symbol does not belong here
    bool one_action = false;
    TSParseAction action{};  // if it is one
  };

  explicit ParseTables(const TSLanguage& language) : language_(language) {}

  // Valid until the next call.
  [[nodiscard]] const Answer& look_up(std::uint16_t state, TSSymbol symbol) {
    const std::uint32_t key = (std::uint32_t{state} << 16U) | symbol;
    Answer& answer = answers_[(key * 0x9e37'79b1U) >> (32U - kBits)];
    if (answer.key != key) {
      find(key, state, symbol, answer);
    }
    return answer;
  }

  [[nodiscard]] const TSParseActionEntry* actions(const Answer& answer) const {
    return &language_.parse_actions[answer.value];
  }

  // The next action from `next` on that counts: a shift marked as repetition is for tree-sitter's reuse of old trees.
  static const TSParseAction* next_action(const TSParseActionEntry* entry, std::uint8_t& next) {
    while (next < entry->entry.count) {
      const TSParseAction& action = entry[1 + next++].action;
      if (action.type != TSParseActionTypeShift || !action.shift.repetition) {
        return &action;
      }
    }
    return nullptr;
  }

 private:
  static constexpr std::uint32_t kBits = 12;

  void find(std::uint32_t key, std::uint16_t state, TSSymbol symbol, Answer& answer) const;
  [[nodiscard]] std::uint16_t search(std::uint16_t state, TSSymbol symbol) const;

  const TSLanguage& language_;
  std::vector<Answer> answers_ = std::vector<Answer>(std::size_t{1} << kBits);
};

}  // namespace glovebox::policy

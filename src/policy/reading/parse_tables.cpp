#include "policy/reading/parse_tables.h"

namespace glovebox::policy {

void ParseTables::find(std::uint32_t key, std::uint16_t state, TSSymbol symbol, Answer& answer) const {
  answer = {key, search(state, symbol), false, {}};
  if (symbol < language_.token_count) {
    const TSParseActionEntry* entry = actions(answer);
    std::uint8_t next = 0;
    const TSParseAction* action = next_action(entry, next);
    answer.one_action = action != nullptr && next_action(entry, next) == nullptr;
    answer.action = answer.one_action ? *action : TSParseAction{};
  }
}

std::uint16_t ParseTables::search(std::uint16_t state, TSSymbol symbol) const {
  if (state < language_.large_state_count) {
    return language_.parse_table[state * language_.symbol_count + symbol];
  }
  const std::uint16_t* data =
      &language_.small_parse_table[language_.small_parse_table_map[state - language_.large_state_count]];
  for (std::uint16_t groups = *data++; groups > 0; --groups) {
    const std::uint16_t value = *data++;
    for (std::uint16_t symbols = *data++; symbols > 0; --symbols) {
      if (*data++ == symbol) {
        return value;
      }
    }
  }
  return 0;
}

}  // namespace glovebox::policy

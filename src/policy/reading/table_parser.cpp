#include "policy/reading/table_parser.h"

#include <tree_sitter/parser.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "policy/reading/source_lexer.h"

namespace glovebox::policy {
namespace {

constexpr std::size_t kMaxStack = 20'000;
// Choices are followed where that is cheap: each one costs a copy of the stack, and going back costs what was read
// since.
constexpr std::size_t kMaxChoiceStack = 1'000;
constexpr std::size_t kMaxChoices = 16;
constexpr std::uint32_t kMaxReturns = 256;
constexpr std::uint32_t kActionsPerLook = 4'096;
constexpr std::uint32_t kLookupBits = 12;
constexpr std::uint16_t kNoLexState = 0xffff;

// What the stack holds for a symbol: its nodes, a list linked by `next`. A hidden symbol has any number of them, a
// visible one itself alone, a token that nobody asks about none.
struct Entry {
  std::uint16_t state = 0;
  bool extra = false;
  bool visible = false;
  NodeId first = kNoNode;
  NodeId last = kNoNode;
  std::uint32_t start = 0;
  std::uint32_t end = 0;
};

// What the tables say on a symbol in a state: the next state, or which actions. Programs ask for the same few thousand
// again and again, and looking them up touches three tables.
struct Known {
  std::uint32_t key = 0;  // state and symbol; nothing is asked about state 0
  std::uint16_t value = 0;
  bool one_action = false;
  TSParseAction action{};  // if it is one
};

struct Token {
  TSSymbol symbol = 0;
  bool keyword = false;
  std::uint32_t start = 0;
  std::uint32_t end = 0;
};

// Where the tables named several actions: everything needed to try the next one.
struct Choice {
  std::vector<Entry> stack;
  Token token;
  const TSParseActionEntry* entry = nullptr;
  std::uint8_t next = 0;
  std::size_t nodes = 0;
  std::size_t changes = 0;
  std::array<char, TREE_SITTER_SERIALIZATION_BUFFER_SIZE> scanner{};
  unsigned scanner_size = 0;
};

// An array of the final size: pushing must not cost a check that kMaxStack makes anyway.
class Stack {
 public:
  void clear() { size_ = 0; }
  void push(const Entry& entry) { entries_[size_++] = entry; }
  void cut(std::size_t size) { size_ = size; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool too_deep() const { return size_ > kMaxStack; }
  [[nodiscard]] Entry& top() { return entries_[size_ - 1]; }
  [[nodiscard]] Entry& operator[](std::size_t index) { return entries_[index]; }
  [[nodiscard]] std::vector<Entry> copy() const { return {entries_.get(), entries_.get() + size_}; }
  void restore(const std::vector<Entry>& from) {
    std::copy(from.begin(), from.end(), entries_.get());
    size_ = from.size();
  }

 private:
  // A reduction puts back the extras it took off, and one more.
  std::unique_ptr<Entry[]> entries_ = std::make_unique_for_overwrite<Entry[]>(kMaxStack + 2);
  std::size_t size_ = 0;
};

struct Change {
  NodeId node = kNoNode;
  SyntaxNode before;
};

}  // namespace

struct TableParser::State {
  explicit State(const Grammar& of) : grammar(of), language(*of.language) {
    if (language.external_scanner.create != nullptr) {
      scanner = language.external_scanner.create();
    }
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (scanner != nullptr) {
      language.external_scanner.destroy(scanner);
    }
  }

  const Grammar& grammar;
  const TSLanguage& language;
  void* scanner = nullptr;
  std::array<char, TREE_SITTER_SERIALIZATION_BUFFER_SIZE> scanner_bytes{};
  unsigned scanner_size = 0;
  Stack stack;
  std::vector<Entry> extras;
  SyntaxTree* tree = nullptr;
  std::vector<Known> lookups = std::vector<Known>(std::size_t{1} << kLookupBits);
  std::vector<Choice> choices;
  std::vector<Change> changes;  // of nodes that were there when the last choice was made
  std::uint32_t returns = 0;
  std::uint32_t actions = 0;

  [[nodiscard]] const Known& lookup(std::uint16_t state, TSSymbol symbol) {
    const std::uint32_t key = (std::uint32_t{state} << 16U) | symbol;
    Known& known = lookups[(key * 0x9e37'79b1U) >> (32U - kLookupBits)];
    if (known.key != key) {
      known = {key, search(state, symbol), false, {}};
      if (symbol < language.token_count) {
        const TSParseActionEntry* entry = &language.parse_actions[known.value];
        std::uint8_t next = 0;
        const TSParseAction* action = next_action(entry, next);
        known.one_action = action != nullptr && next_action(entry, next) == nullptr;
        known.action = known.one_action ? *action : TSParseAction{};
      }
    }
    return known;
  }

  [[nodiscard]] std::uint16_t search(std::uint16_t state, TSSymbol symbol) const {
    if (state < language.large_state_count) {
      return language.parse_table[state * language.symbol_count + symbol];
    }
    const std::uint16_t* data =
        &language.small_parse_table[language.small_parse_table_map[state - language.large_state_count]];
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

  bool lex(SourceLexer& lexer, std::uint16_t state, std::uint32_t at, Token& token) {
    const TSLexMode mode = language.lex_modes[state];
    if (mode.lex_state == kNoLexState) {
      return false;
    }
    if (mode.external_lex_state != 0) {
      lexer.start(at);
      const bool* valid = language.external_scanner.states + mode.external_lex_state * language.external_token_count;
      if (language.external_scanner.scan(scanner, &lexer.base, valid)) {
        lexer.finish();
        if (grammar.scanner_needs_undo) {
          scanner_size = language.external_scanner.serialize(scanner, scanner_bytes.data());
        }
        token = {language.external_scanner.symbol_map[lexer.base.result_symbol], false, lexer.token_start,
                 lexer.token_end};
        return true;
      }
      if (grammar.scanner_needs_undo) {
        language.external_scanner.deserialize(scanner, scanner_bytes.data(), scanner_size);
      }
    }
    lexer.start(at);
    if (!language.lex_fn(&lexer.base, mode.lex_state)) {
      return false;
    }
    lexer.finish();
    token = {lexer.base.result_symbol, false, lexer.token_start, lexer.token_end};
    if (token.symbol == language.keyword_capture_token && language.keyword_lex_fn != nullptr) {
      lexer.start(token.start);
      if (language.keyword_lex_fn(&lexer.base, 0)) {
        lexer.finish();
        if (lexer.token_end == token.end && lookup(state, lexer.base.result_symbol).value != 0) {
          token.symbol = lexer.base.result_symbol;
          token.keyword = true;
        }
      }
    }
    return true;
  }

  SyntaxNode& change(NodeId node) {
    if (!choices.empty() && node < choices.back().nodes) {
      changes.push_back({node, tree->nodes[node]});
    }
    return tree->nodes[node];
  }

  NodeId add_node(Kind kind, std::uint32_t start, std::uint32_t end, NodeId first_child) {
    tree->nodes.push_back({kind, Field::none, start, end, first_child, kNoNode});
    return static_cast<NodeId>(tree->nodes.size() - 1);
  }

  void push_token(const Token& token, std::uint16_t state, bool extra) {
    Entry entry{state, extra, language.symbol_metadata[token.symbol].visible, kNoNode, kNoNode, token.start, token.end};
    const Kind kind = grammar.kinds[token.symbol];
    if (entry.visible && kind != Kind::dropped) {
      entry.first = entry.last = add_node(kind, token.start, token.end, kNoNode);
    }
    stack.push(entry);
  }

  void apply_alias(Entry& entry, TSSymbol alias) {
    const Kind kind = grammar.kinds[alias];
    if (entry.visible && entry.first != kNoNode && kind != Kind::dropped) {
      change(entry.first).kind = kind;
    } else {
      enclose(entry, kind);
    }
    entry.visible = true;
  }

  // A node of this kind around what the entry holds.
  void enclose(Entry& entry, Kind kind) {
    if (kind == Kind::dropped) {
      entry.first = entry.last = kNoNode;
      return;
    }
    if (entry.last != kNoNode) {
      change(entry.last).next = kNoNode;
    }
    entry.first = entry.last = add_node(kind, entry.start, entry.end, entry.first);
  }

  void apply_field(const Entry& entry, Field field) {
    for (NodeId each = entry.first; each != kNoNode; each = tree->nodes[each].next) {
      if (tree->nodes[each].field == Field::none) {
        change(each).field = field;
      }
      if (each == entry.last) {
        break;
      }
    }
  }

  void name_parts(std::size_t begin, std::uint16_t production) {
    const TSFieldMapSlice slice = language.field_map_slices[production];
    const TSSymbol* aliases = language.alias_sequences + production * language.max_alias_sequence_length;
    std::size_t part = 0;
    for (std::size_t each = begin; each < stack.size(); ++each) {
      if (stack[each].extra) {
        continue;
      }
      if (part < language.max_alias_sequence_length && aliases[part] != 0) {
        apply_alias(stack[each], aliases[part]);
      }
      for (std::uint16_t entry = 0; entry < slice.length; ++entry) {
        const TSFieldMapEntry& map = language.field_map_entries[slice.index + entry];
        if (map.child_index == part && !map.inherited && grammar.fields[map.field_id] != Field::none) {
          apply_field(stack[each], grammar.fields[map.field_id]);
        }
      }
      ++part;
    }
  }

  void reduce(TSSymbol symbol, std::uint32_t child_count, std::uint16_t production) {
    extras.clear();
    while (child_count > 0 && stack.top().extra) {
      extras.push_back(stack.top());
      stack.cut(stack.size() - 1);
    }
    std::size_t begin = stack.size();
    for (std::uint32_t left = child_count; left > 0;) {
      --begin;
      left -= stack[begin].extra ? 0 : 1;
    }
    if (production != 0) {
      name_parts(begin, production);
    }
    Entry entry;
    entry.start = child_count == 0 ? stack.top().end : stack[begin].start;
    entry.end = stack.top().end;
    for (std::size_t each = begin; each < stack.size(); ++each) {
      const Entry& part = stack[each];
      if (part.first == kNoNode) {
        continue;
      }
      if (entry.first == kNoNode) {
        entry.first = part.first;
      } else {
        change(entry.last).next = part.first;
      }
      entry.last = part.last;
    }
    stack.cut(begin);
    entry.visible = language.symbol_metadata[symbol].visible;
    if (entry.visible) {
      enclose(entry, grammar.kinds[symbol]);
    }
    entry.state = lookup(stack.top().state, symbol).value;
    stack.push(entry);
    for (; !extras.empty(); extras.pop_back()) {
      extras.back().state = entry.state;
      stack.push(extras.back());
    }
  }

  void remember_choice(const Token& token, const TSParseActionEntry* entry, std::uint8_t next) {
    if (stack.size() > kMaxChoiceStack) {
      return;
    }
    if (choices.size() == kMaxChoices) {
      choices.erase(choices.begin());
    }
    Choice& choice = choices.emplace_back();
    choice.stack = stack.copy();
    choice.token = token;
    choice.entry = entry;
    choice.next = next;
    choice.nodes = tree->nodes.size();
    choice.changes = changes.size();
    if (scanner != nullptr) {
      choice.scanner_size = language.external_scanner.serialize(scanner, choice.scanner.data());
    }
  }

  // Back to the last choice, to take its next action.
  bool return_to_choice(Token& token, const TSParseActionEntry*& entry, std::uint8_t& next) {
    if (choices.empty() || ++returns > kMaxReturns) {
      return false;
    }
    Choice& choice = choices.back();
    stack.restore(choice.stack);
    token = choice.token;
    entry = choice.entry;
    next = choice.next;
    for (; changes.size() > choice.changes; changes.pop_back()) {
      tree->nodes[changes.back().node] = changes.back().before;
    }
    tree->nodes.resize(choice.nodes);
    if (scanner != nullptr) {
      language.external_scanner.deserialize(scanner, choice.scanner.data(), choice.scanner_size);
      std::copy_n(choice.scanner.data(), choice.scanner_size, scanner_bytes.data());
      scanner_size = choice.scanner_size;
    }
    choices.pop_back();
    return true;
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

  void begin() {
    stack.clear();
    stack.push(Entry{1, false, false, kNoNode, kNoNode, 0, 0});
    choices.clear();
    changes.clear();
    returns = 0;
    actions = 0;
    scanner_size = 0;
    if (scanner != nullptr && grammar.scanner_needs_undo) {
      // Such a scanner does not even forget everything when it is told to.
      language.external_scanner.destroy(scanner);
      scanner = language.external_scanner.create();
    } else if (scanner != nullptr) {
      language.external_scanner.deserialize(scanner, nullptr, 0);
    }
  }

  // The stack holds the root, and extras such as comments around it.
  void accept() {
    for (std::size_t each = 0; each < stack.size(); ++each) {
      if (!stack[each].extra && stack[each].first != kNoNode) {
        tree->root = stack[each].first;
      }
    }
  }

  // What the tables have for the token in the state on top of the stack.
  [[nodiscard]] const Known& actions_for(Token& token) {
    const Known& known = lookup(stack.top().state, token.symbol);
    if (known.value != 0 || !token.keyword) {
      return known;
    }
    token.symbol = language.keyword_capture_token;  // print as a name, say
    token.keyword = false;
    return lookup(stack.top().state, token.symbol);
  }

  TableParse run(SourceLexer& lexer) {
    begin();
    Token token;
    const TSParseActionEntry* entry = nullptr;
    std::uint8_t next = 0;
    bool needs_token = true;
    for (;;) {
      if (++actions % kActionsPerLook == 0 && SourceLexer::Clock::now() > lexer.deadline) {
        return TableParse::out_of_time;
      }
      const TSParseAction* action = nullptr;
      if (!needs_token || lex(lexer, stack.top().state, token.end, token)) {
        if (entry == nullptr) {
          const Known& known = actions_for(token);
          if (known.one_action) {
            action = &known.action;
          } else {
            entry = &language.parse_actions[known.value];
            next = 0;
          }
        }
        if (entry != nullptr) {
          action = next_action(entry, next);
        }
      }
      needs_token = false;
      if (action == nullptr || action->type == TSParseActionTypeRecover) {
        if (!return_to_choice(token, entry, next)) {
          return TableParse::unclear;
        }
        continue;
      }
      if (entry != nullptr) {
        std::uint8_t other = next;
        if (next_action(entry, other) != nullptr) {
          remember_choice(token, entry, next);
        }
        entry = nullptr;
      }
      if (action->type == TSParseActionTypeShift) {
        push_token(token, action->shift.extra ? stack.top().state : action->shift.state, action->shift.extra);
        needs_token = true;
      } else if (action->type == TSParseActionTypeReduce) {
        reduce(action->reduce.symbol, action->reduce.child_count, action->reduce.production_id);
      } else {
        accept();
        return TableParse::done;
      }
      if (stack.too_deep()) {
        return TableParse::too_deep;
      }
    }
  }
};

TableParser::TableParser(const Grammar& grammar) : state_(std::make_unique<State>(grammar)) {}
TableParser::~TableParser() = default;

TableParse TableParser::parse(std::string_view text, std::chrono::steady_clock::time_point deadline, SyntaxTree& tree) {
  tree.clear();
  state_->tree = &tree;
  SourceLexer lexer(text, deadline);
  const TableParse result = state_->run(lexer);
  tree.span_root(text.size());
  return lexer.out_of_time ? TableParse::out_of_time : result;
}

}  // namespace glovebox::policy

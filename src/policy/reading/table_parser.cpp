#include "policy/reading/table_parser.h"

#include <tree_sitter/parser.h>

#include <algorithm>
#include <vector>

#include "policy/reading/parse_tables.h"
#include "policy/reading/source_lexer.h"
#include "policy/reading/token_source.h"

namespace glovebox::policy {
namespace {

constexpr std::size_t kMaxStack = 20'000;
// Choices are followed where that is cheap: each one costs a copy of the stack, and going back costs what was read
// since.
constexpr std::size_t kMaxChoiceStack = 1'000;
constexpr std::size_t kMaxChoices = 16;
constexpr std::uint32_t kMaxReturns = 256;
constexpr std::uint32_t kActionsPerLook = 4'096;

// What the stack holds for a symbol: its nodes, a list linked by `next`. A hidden symbol has any number of them, a
// visible one itself alone, a token that nobody asks about none.
struct Entry {
  std::uint16_t state = 0;
  bool visible = false;
  NodeId first = kNoNode;
  NodeId last = kNoNode;
  std::uint32_t start = 0;
  std::uint32_t end = 0;
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
  std::unique_ptr<Entry[]> entries_ = std::make_unique_for_overwrite<Entry[]>(kMaxStack + 1);
  std::size_t size_ = 0;
};

// What is to be done with the token at hand, where the tables name several actions.
struct Options {
  const TSParseActionEntry* entry = nullptr;  // nullptr: not asked yet, or only one
  std::uint8_t next = 0;
};

// Where an option was taken and others are left: everything needed to try the next one.
struct Choice {
  std::vector<Entry> stack;
  Token token;
  Options options;
  std::size_t nodes = 0;
  std::size_t changes = 0;
  TokenSource::Memory memory;
};

struct Change {
  NodeId node = kNoNode;
  SyntaxNode before;
};

}  // namespace

struct TableParser::State {
  explicit State(const Grammar& of) : grammar(of), language(*of.language), tables(language), tokens(of, tables) {}

  const Grammar& grammar;
  const TSLanguage& language;
  ParseTables tables;
  TokenSource tokens;
  Stack stack;
  SyntaxTree* tree = nullptr;
  std::vector<Choice> choices;
  std::vector<Change> changes;  // of nodes that were there when the last choice was made
  std::uint32_t returns = 0;

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

  void push_token(const Token& token, std::uint16_t state) {
    Entry entry{state, language.symbol_metadata[token.symbol].visible, kNoNode, kNoNode, token.start, token.end};
    const Kind kind = grammar.kinds[token.symbol];
    if (entry.visible && kind != Kind::dropped) {
      entry.first = entry.last = add_node(kind, token.start, token.end, kNoNode);
    }
    stack.push(entry);
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

  void apply_alias(Entry& entry, TSSymbol alias) {
    const Kind kind = grammar.kinds[alias];
    if (entry.visible && entry.first != kNoNode && kind != Kind::dropped) {
      change(entry.first).kind = kind;
    } else {
      enclose(entry, kind);
    }
    entry.visible = true;
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

  // What the production calls its parts.
  void name_parts(std::size_t begin, std::uint16_t production) {
    const TSFieldMapSlice slice = language.field_map_slices[production];
    const TSSymbol* aliases = language.alias_sequences + production * language.max_alias_sequence_length;
    for (std::size_t each = begin; each < stack.size(); ++each) {
      const std::size_t part = each - begin;
      if (part < language.max_alias_sequence_length && aliases[part] != 0) {
        apply_alias(stack[each], aliases[part]);
      }
      for (std::uint16_t entry = 0; entry < slice.length; ++entry) {
        const TSFieldMapEntry& map = language.field_map_entries[slice.index + entry];
        if (map.child_index == part && !map.inherited && grammar.fields[map.field_id] != Field::none) {
          apply_field(stack[each], grammar.fields[map.field_id]);
        }
      }
    }
  }

  void reduce(TSSymbol symbol, std::uint32_t child_count, std::uint16_t production) {
    const std::size_t begin = stack.size() - child_count;
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
    entry.state = tables.look_up(stack.top().state, symbol).value;
    stack.push(entry);
  }

  void remember_choice(const Token& token, const Options& options) {
    if (stack.size() > kMaxChoiceStack) {
      return;
    }
    if (choices.size() == kMaxChoices) {
      choices.erase(choices.begin());
    }
    Choice& choice = choices.emplace_back();
    choice.stack = stack.copy();
    choice.token = token;
    choice.options = options;
    choice.nodes = tree->nodes.size();
    choice.changes = changes.size();
    tokens.save(choice.memory);
  }

  // Back to the last choice, to take its next option.
  bool return_to_choice(Token& token, Options& options) {
    if (choices.empty() || ++returns > kMaxReturns) {
      return false;
    }
    const Choice& choice = choices.back();
    stack.restore(choice.stack);
    token = choice.token;
    options = choice.options;
    for (; changes.size() > choice.changes; changes.pop_back()) {
      tree->nodes[changes.back().node] = changes.back().before;
    }
    tree->nodes.resize(choice.nodes);
    tokens.restore(choice.memory);
    choices.pop_back();
    return true;
  }

  void begin() {
    stack.clear();
    stack.push(Entry{1, false, kNoNode, kNoNode, 0, 0});
    choices.clear();
    changes.clear();
    returns = 0;
    tokens.forget();
  }

  // The action for the token in the state on top of the stack; nullptr: the token does not belong here.
  [[nodiscard]] const TSParseAction* action_for(Token& token, Options& options) {
    if (options.entry == nullptr) {
      const ParseTables::Answer* answer = &tables.look_up(stack.top().state, token.symbol);
      if (answer->value == 0 && token.keyword) {  // print as a name, say
        token.symbol = language.keyword_capture_token;
        token.keyword = false;
        answer = &tables.look_up(stack.top().state, token.symbol);
      }
      if (answer->one_action) {
        return &answer->action;
      }
      options = {tables.actions(*answer), 0};
    }
    const TSParseAction* action = ParseTables::next_action(options.entry, options.next);
    Options others = options;
    if (action != nullptr && ParseTables::next_action(others.entry, others.next) != nullptr) {
      remember_choice(token, options);
    }
    return action;
  }

  TableParse run(SourceLexer& lexer) {
    begin();
    Token token;
    Options options;
    bool needs_token = true;
    for (std::uint32_t actions = 1;; ++actions) {
      if (actions % kActionsPerLook == 0 && SourceLexer::Clock::now() > lexer.deadline) {
        return TableParse::out_of_time;
      }
      const bool has_token = !needs_token || tokens.next(lexer, stack.top().state, token);
      needs_token = false;
      const TSParseAction* action = has_token ? action_for(token, options) : nullptr;
      if (action == nullptr || action->type == TSParseActionTypeRecover) {
        if (!return_to_choice(token, options)) {
          return TableParse::unclear;
        }
        continue;
      }
      options = {};
      if (action->type == TSParseActionTypeShift) {
        // Extras are comments and blanks, which are no part of the tree.
        if (!action->shift.extra) {
          push_token(token, action->shift.state);
        }
        needs_token = true;
      } else if (action->type == TSParseActionTypeReduce) {
        reduce(action->reduce.symbol, action->reduce.child_count, action->reduce.production_id);
      } else {
        tree->root = stack.top().first;
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

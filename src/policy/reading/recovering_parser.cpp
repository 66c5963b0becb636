#include "policy/reading/recovering_parser.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <memory>

#include "base/utf8.h"

namespace glovebox::policy {
namespace {

using Clock = std::chrono::steady_clock;

// tree-sitter looks at its own clock after so many steps, and a scanner may read to the end of the text in each of
// them. It has to ask for each chunk, and after the deadline there are no more.
constexpr std::size_t kChunkBytes = 4'096;

// tree-sitter asks for the rest of a character that a chunk cuts off, and reads it even where there is none.
std::string_view whole_characters(std::string_view valid) {
  if (valid.size() <= kChunkBytes) {
    return valid;
  }
  std::size_t end = kChunkBytes;
  while ((static_cast<std::uint8_t>(valid[end]) & 0xc0U) == 0x80) {
    --end;
  }
  return valid.substr(0, end);
}

struct Chunks {
  std::string_view text;
  Clock::time_point deadline;
  bool out_of_time = false;

  static const char* read(void* payload, std::uint32_t at, TSPoint, std::uint32_t* bytes) {
    auto& self = *static_cast<Chunks*>(payload);
    if (!self.out_of_time && Clock::now() > self.deadline) {
      self.out_of_time = true;
    }
    const std::string_view rest =
        self.out_of_time || at >= self.text.size() ? std::string_view() : whole_characters(self.text.substr(at));
    *bytes = static_cast<std::uint32_t>(rest.size());
    return rest.data();
  }
};

struct Deleter {
  void operator()(TSParser* parser) const { ts_parser_delete(parser); }
  void operator()(TSTree* tree) const { ts_tree_delete(tree); }
};

struct Cursor {
  explicit Cursor(TSNode root) : raw(ts_tree_cursor_new(root)) {}
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;
  ~Cursor() { ts_tree_cursor_delete(&raw); }
  TSTreeCursor raw;
};

// tree-sitter's tree in our order, children first.
class Converter {
 public:
  Converter(const Grammar& grammar, SyntaxTree& tree, Recovery& recovery)
      : grammar_(grammar), tree_(tree), recovery_(recovery) {}

  void convert(TSNode root, Clock::time_point deadline) {
    Cursor cursor(root);
    std::uint32_t visited = 0;
    for (;;) {
      if (++visited % 4'096 == 0 && Clock::now() > deadline) {
        recovery_.out_of_time = true;
        return;
      }
      open_.push_back({});
      if (ts_tree_cursor_goto_first_child(&cursor.raw)) {
        continue;
      }
      close(cursor.raw);
      while (!ts_tree_cursor_goto_next_sibling(&cursor.raw)) {
        if (!ts_tree_cursor_goto_parent(&cursor.raw)) {
          return;
        }
        close(cursor.raw);
      }
    }
  }

 private:
  struct Children {
    NodeId first = kNoNode;
    NodeId last = kNoNode;
  };

  [[nodiscard]] Kind kind_of(TSNode node) {
    const TSSymbol symbol = ts_node_symbol(node);
    const bool missing = ts_node_is_missing(node);
    if (symbol >= grammar_.kinds.size() || missing) {
      recovery_.first_error = std::min(recovery_.first_error.value_or(UINT32_MAX), ts_node_start_byte(node));
      return missing ? Kind::missing : Kind::error;
    }
    return grammar_.kinds[symbol];
  }

  // All children of the node are in the tree; now the node itself.
  void close(const TSTreeCursor& cursor) {
    const TSNode node = ts_tree_cursor_current_node(&cursor);
    const Children children = open_.back();
    open_.pop_back();
    const Kind kind = kind_of(node);
    if (kind == Kind::dropped) {
      return;
    }
    tree_.nodes.push_back({kind, grammar_.fields[ts_tree_cursor_current_field_id(&cursor)], ts_node_start_byte(node),
                           ts_node_end_byte(node), children.first, kNoNode});
    const auto added = static_cast<NodeId>(tree_.nodes.size() - 1);
    if (open_.empty()) {
      tree_.root = added;
      return;
    }
    Children& siblings = open_.back();
    if (siblings.first == kNoNode) {
      siblings.first = added;
    } else {
      tree_.nodes[siblings.last].next = added;
    }
    siblings.last = added;
  }

  const Grammar& grammar_;
  SyntaxTree& tree_;
  Recovery& recovery_;
  std::vector<Children> open_;  // from the root down to where the cursor is
};

}  // namespace

Recovery parse_recovering(const Grammar& grammar, std::string_view text, Clock::time_point deadline, SyntaxTree& tree) {
  tree.clear();
  Recovery recovery;
  // A parser of its own: the shell's scanner would remember the program before.
  const std::unique_ptr<TSParser, Deleter> parser(ts_parser_new());
  if (!base::is_valid_utf8(text) || !ts_parser_set_language(parser.get(), grammar.language)) {
    recovery.first_error = 0;
    return recovery;
  }
  const auto left = std::chrono::duration_cast<std::chrono::microseconds>(deadline - Clock::now()).count();
  ts_parser_set_timeout_micros(parser.get(), static_cast<std::uint64_t>(std::max<decltype(left)>(left, 1)));
  Chunks chunks{text, deadline};
  const std::unique_ptr<TSTree, Deleter> parsed(
      ts_parser_parse(parser.get(), nullptr, TSInput{&chunks, &Chunks::read, TSInputEncodingUTF8}));
  if (!parsed || chunks.out_of_time) {
    recovery.out_of_time = true;
    return recovery;
  }
  Converter(grammar, tree, recovery).convert(ts_tree_root_node(parsed.get()), deadline);
  tree.span_root(text.size());
  return recovery;
}

}  // namespace glovebox::policy

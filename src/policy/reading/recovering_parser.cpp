#include "policy/reading/recovering_parser.h"

#include <pthread.h>
#include <tree_sitter/api.h>

#include <algorithm>
#include <exception>
#include <memory>

namespace glovebox::policy {
namespace {

using Clock = std::chrono::steady_clock;

// tree-sitter looks at its own clock after so many steps, and a scanner may read to the end of the text in each of
// them. It has to ask for each chunk, and after the deadline there are no more.
constexpr std::size_t kChunkBytes = 4'096;

// A level of tree-sitter's comparison takes about a hundred bytes, and a byte of text makes at most two levels. Only
// what is touched costs memory.
constexpr std::size_t kStackBytes = std::size_t{1} << 20U;
constexpr std::size_t kStackBytesPerByte = 256;

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
        self.out_of_time || at >= self.text.size() ? std::string_view() : self.text.substr(at, kChunkBytes);
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

struct Job {
  const Grammar& grammar;
  std::string_view text;
  Clock::time_point deadline;
  SyntaxTree& tree;
  Recovery recovery;

  void run() {
    try {
      parse();
    } catch (const std::exception&) {  // no memory for so large a tree
      tree.clear();
      recovery.out_of_time = true;
    }
  }

  void parse() {
    const std::unique_ptr<TSParser, Deleter> parser(ts_parser_new());
    if (!parser || !ts_parser_set_language(parser.get(), grammar.language)) {
      recovery.first_error = 0;
      return;
    }
    const auto left = std::chrono::duration_cast<std::chrono::microseconds>(deadline - Clock::now()).count();
    ts_parser_set_timeout_micros(parser.get(), static_cast<std::uint64_t>(std::max<decltype(left)>(left, 1)));
    Chunks source{text, deadline};
    const std::unique_ptr<TSTree, Deleter> parsed(
        ts_parser_parse(parser.get(), nullptr, TSInput{&source, &Chunks::read, TSInputEncodingUTF8}));
    if (!parsed || source.out_of_time) {
      recovery.out_of_time = true;
      return;
    }
    Converter(grammar, tree, recovery).convert(ts_tree_root_node(parsed.get()), deadline);
  }
};

}  // namespace

Recovery parse_recovering(const Grammar& grammar, std::string_view text, Clock::time_point deadline, SyntaxTree& tree) {
  tree.clear();
  Job job{grammar, text, deadline, tree, {}};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes + kStackBytesPerByte * text.size());
  pthread_t thread{};
  const auto entry = [](void* payload) -> void* {
    static_cast<Job*>(payload)->run();
    return nullptr;
  };
  const int status = pthread_create(&thread, &attributes, entry, &job);
  pthread_attr_destroy(&attributes);
  if (status != 0) {
    job.recovery.out_of_time = true;
    return job.recovery;
  }
  pthread_join(thread, nullptr);
  tree.span_root(text.size());
  return job.recovery;
}

}  // namespace glovebox::policy

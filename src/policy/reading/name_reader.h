// What Python and JavaScript readers share: names followed through a program.
//
// Every node gets a Value, from the leaves up, in the order of the tree's array. Bindings are remembered by word alone:
// an alias anywhere in the program counts everywhere, whatever the scope and whichever comes first. That errs towards
// reporting. Where a binding comes to light after its word was used, the program is gone through again, a few times at
// most. A word that nothing binds stands for itself ("eval"), and so does one of the language's own whatever binds it.
//
// The languages say what a node means (evaluate) and what it binds (mark_targets); here is how values join, what a
// member of them is, and which facts follow.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/reading/fact_list.h"
#include "policy/reading/names.h"
#include "policy/reading/reader_source.h"
#include "policy/reading/syntax_tree.h"
#include "policy/reading/value.h"

namespace glovebox::policy {

class NameReader {
 public:
  using Clock = std::chrono::steady_clock;

  NameReader(Names& names, FactList& facts, Clock::time_point deadline);
  NameReader(const NameReader&) = delete;
  NameReader& operator=(const NameReader&) = delete;
  virtual ~NameReader() = default;

  // Adds the text's facts. Bindings stay for texts that are read after it.
  void read(const Source& source);
  [[nodiscard]] bool out_of_time() const { return out_of_time_; }

  [[nodiscard]] std::vector<InnerProgram> take_inner() { return std::exchange(inner_, {}); }

 protected:
  // What the node is worth, what it binds, which facts it makes. Its children have been here before.
  virtual void evaluate(NodeId node) = 0;
  // Marks the words that the node binds, before anything is evaluated, and skips what is no expression.
  virtual void mark_targets(NodeId node) = 0;
  // What a word stands for that nothing binds, or that is the language's own whatever binds it.
  virtual Value meaning_of_free(Word word) { return Value::name(names_.root(word)); }
  virtual bool is_always_free(Word word) const = 0;
  virtual Value member_of_name(NameId parent, Word word) { return Value::name(names_.member(parent, word)); }
  virtual std::optional<std::string> decode_literal(NodeId node) = 0;
  // A value went where nobody follows it: into a call, a container, an attribute, a result.
  virtual void report_handed_on(NodeId node, Value value) = 0;
  // The program is gone through once more; what was collected on the way is no longer true.
  virtual void begin_round() {}

  // The text and its tree.
  [[nodiscard]] std::string_view source_text() const { return source_.text; }
  [[nodiscard]] NodeId root() const { return source_.tree->root; }
  [[nodiscard]] bool is_inner() const { return source_.inside.has_value(); }
  [[nodiscard]] const SyntaxNode& at(NodeId node) const { return (*source_.tree)[node]; }
  [[nodiscard]] NodeId child(NodeId node, Field field) const { return source_.tree->child(node, field); }
  [[nodiscard]] std::string_view text_of(NodeId node) const {
    return source_.text.substr(at(node).start, at(node).end - at(node).start);
  }
  [[nodiscard]] Word word_of(NodeId node) { return names_.word(text_of(node)); }
  template <typename Visit>
  void each_child(NodeId node, Visit visit) const {
    for (NodeId child = at(node).first_child; child != kNoNode; child = at(child).next) {
      visit(child);
    }
  }

  // Values.
  [[nodiscard]] Value value(NodeId node) const { return node == kNoNode ? Value() : values_[node]; }
  void set(NodeId node, Value value) { values_[node] = value; }
  [[nodiscard]] Value join(Value left, Value right);
  [[nodiscard]] Value make_text(std::string text);
  // Each possibility once; an unknown one among them when there may be others.
  template <typename Visit>
  void each_possible(Value value, Visit visit) {
    if (value.is != Value::Is::several) {
      visit(value);
      return;
    }
    for (const Value& each : std::vector<Value>(lists_[value.id])) {  // a copy: visiting may make new lists
      visit(each);
    }
  }
  // What `give` makes of each possibility, joined.
  template <typename Give>
  [[nodiscard]] Value combine(Value value, Give give) {
    std::optional<Value> result;
    each_possible(value, [&](Value each) {
      const Value given = give(each);
      result = result ? join(*result, given) : given;
    });
    return result.value_or(Value());
  }
  [[nodiscard]] std::optional<std::string> text(Value value);
  [[nodiscard]] Value element_of(Value value);  // any of them
  [[nodiscard]] Value nth_of(Value value, std::size_t index);
  // The texts of a list or tuple that stands in the program; unknown when any of them is.
  [[nodiscard]] Value join_texts(Value sequence, const std::string& separator);
  [[nodiscard]] Value member(Value value, Word word);

  // Bindings.
  void mark_bound(Word word) { binding(variables_, word).bound = true; }
  [[nodiscard]] Value look_up(Word word);
  void bind(Word word, Value value);
  void bind_member(Word word, Value value);  // of whatever receiver

  // Facts.
  void add_fact(FactKind kind, NodeId at, std::string name, std::string detail = {});
  void add_fact(FactKind kind, NodeId at, NameId name) { add_fact(kind, at, names_.to_string(name)); }
  void add_touched(NodeId at, Value value);  // an attribute fact for each name that it may be
  // An expression with a name was touched, unless what it is part of accounts for it.
  void touch(NodeId node) { touched_[node] = kName; }
  void consume(NodeId node) { touched_[node] = 0; }
  // What a call gave is no use of a name, but it may be handed on.
  void touch_result(NodeId node) { touched_[node] = kResult; }
  // Where the value goes is known: to a variable, into a comparison. Whatever else is touched is handed on.
  void follow(NodeId node);
  void follow_elements(NodeId sequence);  // of a list or tuple that stands in the text
  void skip(NodeId node) { skipped_[node] = 1; }
  // A loop binds its variable before its body is gone through, though it comes after it in the tree's order.
  void evaluate_early(NodeId node, NodeId right_after) { early_[right_after] = node; }
  void add_inner(std::string text, NodeId at, std::string run_by);
  // Something came to light that changes what was read before it.
  void ask_again() { again_ = true; }

  Names& names_;

 private:
  static constexpr std::uint8_t kName = 1;
  static constexpr std::uint8_t kResult = 2;

  struct Binding {
    Value value;
    bool bound = false;     // somewhere in the program
    bool filled = false;    // value says to what
    bool was_read = false;  // so a change means that somebody knew too little
  };

  void begin(const Source& source);
  void leave_source();
  bool evaluate_all();
  void report_touched();
  [[nodiscard]] Binding& binding(std::vector<Binding>& of, Word word);
  void extend(Binding& binding, Value value);
  [[nodiscard]] Value make_list(std::vector<Value> values);
  [[nodiscard]] bool may_be_text(Value value);

  FactList& facts_;
  Clock::time_point deadline_;
  bool out_of_time_ = false;
  bool again_ = false;
  Source source_;
  std::vector<Value> values_;
  std::vector<std::uint8_t> touched_;
  std::vector<std::uint8_t> followed_;
  std::vector<std::uint8_t> skipped_;
  std::vector<NodeId> early_;
  std::vector<Binding> variables_;  // by word
  std::vector<Binding> members_;    // of receivers unknown, by word
  std::vector<std::vector<Value>> lists_;
  std::vector<std::string> texts_;
  std::size_t text_bytes_ = 0;
  std::vector<InnerProgram> inner_;
};

}  // namespace glovebox::policy

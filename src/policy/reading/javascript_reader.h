// Reads JavaScript. What is followed, and what is not: docs/program-facts.md.
#pragma once

#include "policy/reading/name_reader.h"

namespace glovebox::policy {

// What a function or object does to names, if it is one that the reader knows.
enum class JavascriptSpecial : std::uint8_t {
  none,
  import_module,   // (module name): gives that module
  make_importer,   // createRequire(…): gives such a function
  run_code,        // (text of a program, …)
  make_function,   // (parameters…, text of a program)
  run_later,       // (function or text of a program, …)
  get_member,      // (object, member's name)
  apply_function,  // (function, …)
  characters,      // String.fromCharCode(numbers…)
  global_object,   // globalThis: its members are free names
  plain_data,      // process.env: a computed member gives no function
  prototype_of,    // Object.getPrototypeOf: of a function it has what makes functions from text
};

// The names that a thread's JavaScript readers know by heart.
struct JavascriptNames {
  JavascriptNames();

  Names names;
  std::vector<JavascriptSpecial> specials;  // by NameId
  std::vector<bool> own_words;              // by Word: keep their meaning whatever binds them
  Word constructor_word = 0;
  NameId function_name = 0;  // Function
  NameId process_name = 0;   // process
  NameId module_name = 0;    // module
  Word arguments_word = 0;
  Word value_word = 0;
  Word proto_word = 0;                // __proto__
  NameId console_name = 0;            // console
  std::vector<bool> stack_words;      // by Word: members that lead to those who called
  std::vector<bool> importing_words;  // by Word: methods that load a module, whoever has them
};

class JavascriptReader final : public NameReader {
 public:
  JavascriptReader(JavascriptNames& known, FactList& facts, Clock::time_point deadline);

 protected:
  void evaluate(NodeId node) override;
  void mark_targets(NodeId node) override;
  bool is_always_free(Word word) const override;
  Value member_of_name(NameId parent, Word word) override;
  std::optional<std::string> decode_literal(NodeId node) override;
  void report_handed_on(NodeId node, Value value) override;
  void begin_round() override;

 private:
  using Arguments = std::vector<NodeId>;

  // javascript_reader.cpp: expressions
  void evaluate_member(NodeId node);
  void consume_if_told(NodeId object);
  void evaluate_subscript(NodeId node);
  void evaluate_binary(NodeId node);
  void evaluate_object(NodeId node);
  void evaluate_array(NodeId node);
  Value member_by_word(Value object, Word word);
  Value computed_member(NodeId node, Value object, NodeId index);
  void report_stack(NodeId node, Word word);

  // javascript_bindings.cpp
  template <typename Visit>
  void each_target(NodeId pattern, Value value, Visit visit);
  void bind_pattern(NodeId pattern, Value value);
  void evaluate_import(NodeId node);
  void evaluate_export(NodeId node);
  Value add_import(NodeId node, std::string_view module, std::string_view taken);
  [[nodiscard]] std::optional<std::string> property_name(NodeId key);

  // javascript_escapes.cpp: values that leave what is followed
  [[nodiscard]] std::string_view danger_of(Value value) const;
  void remember_module(NameId name);
  void follow_assigned(NodeId left, NodeId right);
  [[nodiscard]] bool is_dangerous(Value value);
  [[nodiscard]] bool is_prototype(Value value) const;
  void report_console();
  [[nodiscard]] bool is_shadowed(Word word) const;
  void own_arguments(NodeId function);
  void report_unowned_arguments();
  [[nodiscard]] std::string_view name_of(NodeId node);
  [[nodiscard]] Word word_of(NodeId node) { return names_.word(name_of(node)); }
  [[nodiscard]] bool is_importing(Word word) const {
    return word < known_.importing_words.size() && known_.importing_words[word];
  }

  // javascript_this.cpp: `this` of a function that is called by itself
  struct ThisUse {
    NodeId node;
    NodeId function;  // whose it is
    bool as_value;    // and not only for a member of it
  };
  struct NamedFunction {
    Word name;
    NodeId function;
  };
  void note_this(NodeId node);
  void note_called(NodeId call);
  void note_this_only_looked_at(NodeId node);
  void own_this(NodeId function, bool is_sloppy);
  void note_named(NodeId name, NodeId function);
  void report_this();
  [[nodiscard]] NodeId without_parentheses(NodeId node) const;
  [[nodiscard]] bool is_function(NodeId node) const;
  [[nodiscard]] bool is_strict() const;

  // javascript_calls.cpp
  void evaluate_call(NodeId node, NodeId function);
  [[nodiscard]] Arguments arguments_of(NodeId call) const;
  [[nodiscard]] Value argument(const Arguments& arguments, std::size_t index) const;
  Value call_value(NodeId function, Value callee, const Arguments& arguments);
  Value call_name(NodeId node, NameId name, const Arguments& arguments);
  Value call_unknown(NodeId function, const Arguments& arguments);
  Value call_import(NodeId node, NameId name, Value module);
  void bind_awaited(NodeId callback, Value module);
  Value call_get_member(NodeId node, NameId name, Value object, Value member_name);
  void call_run_code(NodeId node, NameId name, Value code);
  void call_make_function(NodeId node, NameId name, const Arguments& arguments);
  void call_constructor(NodeId node, NameId name, const Arguments& arguments);
  [[nodiscard]] Arguments listed_arguments(NodeId list) const;
  Value fold_characters(const Arguments& arguments);
  Value fold_join(Value sequence, const Arguments& arguments);
  Value fold_method(std::string_view method, const std::string& constant, const Arguments& arguments);
  void add_dynamic(NodeId node, std::string name, std::string why);
  [[nodiscard]] JavascriptSpecial special(NameId name) const {
    return name < known_.specials.size() ? known_.specials[name] : JavascriptSpecial::none;
  }

  JavascriptNames& known_;
  std::vector<bool> modules_;  // by NameId: what the program imports of Node's powerful modules
  std::vector<Word> shadowed_;
  std::vector<NodeId> unowned_arguments_;  // uses of `arguments` that are in no function so far
  std::vector<NodeId> console_arguments_;  // what console was given that others must not have
  bool console_changed_ = false;
  std::vector<ThisUse> this_uses_;   // nobody's so far
  std::vector<ThisUse> owned_this_;  // as a value, by functions that may be called by themselves
  std::vector<NamedFunction> named_functions_;
  std::vector<NodeId> called_functions_;
  std::vector<Word> called_words_;
};

}  // namespace glovebox::policy

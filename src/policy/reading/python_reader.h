// Reads Python. What is followed, and what is not: docs/program-facts.md.
#pragma once

#include "policy/reading/name_reader.h"

namespace glovebox::policy {

// What a function does to names, if it is one that the reader knows.
enum class PythonSpecial : std::uint8_t {
  none,
  import_module,   // (module name): gives that module
  import_top,      // __import__("a.b") gives a
  find_object,     // (a module's name, with the names of members behind it): gives the last
  run_code,        // (text of a program, …)
  run_statements,  // (text of a program, text of another, …), or functions
  run_unseen,      // whatever it runs or loads is not in the text
  get_member,      // (object, member's name)
  set_member,      // (object, member's name, value)
  drop_member,     // (object, member's name)
  member_getter,   // (members' names…)
  namespace_of,    // vars(object), or of the caller
  own_namespace,   // globals(), locals()
  own_module,      // __main__: its members are the program's variables
  modules,         // sys.modules
  builtins,        // the module, or __builtins__
  character,       // chr(number)
  apply_to_each,   // map(function, sequence)
  only_looks,      // at its arguments: what is given to it goes nowhere
  asks_class,      // isinstance(object, class): the class may answer itself
  type_of,         // type(object), or type(name, bases, members)
  same_module,     // importlib.reload(module): gives it back
  formatter,       // string.Formatter: its methods take members from what they are given
  format_text,     // (text with fields, …), of a formatter
  format_field,    // ("0.member", …), of a formatter
  format_string,   // str.format(text with fields, …): gives nothing but a string
};

// The names that a thread's Python readers know by heart.
struct PythonNames {
  PythonNames();

  Names names;
  std::vector<PythonSpecial> specials;  // by NameId
  std::vector<bool> own_words;          // by Word: builtins whose meaning a program does not change by using the word
  std::vector<bool> builtin_words;      // by Word
  std::vector<bool> globals_words;      // by Word: members that hold a module's names
  std::vector<bool> inner_modules;      // by Word: modules that others carry as members (shutil.os, random._os)
  std::vector<bool> module_words;       // by Word: modules that are known by name
  std::vector<bool> library_words;      // by Word: of these, Python's own
  std::vector<bool> package_words;      // by Word: of these, packages
  std::vector<bool> plain_members;      // by NameId: members that are called like a module and are none
  std::vector<bool> loading_words;      // by Word: methods that load code
  std::vector<bool> holding_words;      // by Word: members that give away what a function holds
  Word namespace_word = 0;              // __dict__
  Word call_word = 0;                   // __call__
  Word self_word = 0;                   // __self__
  Word object_word = 0;                 // obj: of an AttributeError, what had no such member
  Word match_args_word = 0;             // __match_args__
  Word case_word = 0;                   // case
  std::vector<bool> asked_words;        // by Word: methods by which a class answers for what is of its kind
  std::vector<bool> answering_words;    // by Word: methods that answer for whatever member
  std::vector<bool> failure_words;      // by Word: exceptions that an AttributeError may be caught as
  NameId builtins_name = 0;
  NameId compile_name = 0;
};

class PythonReader final : public NameReader {
 public:
  PythonReader(PythonNames& known, FactList& facts, Clock::time_point deadline);

 protected:
  void evaluate(NodeId node) override;
  void mark_targets(NodeId node) override;
  Value meaning_of_free(Word word) override;
  bool is_always_free(Word word) const override;
  Value member_of_name(NameId parent, Word word) override;
  std::optional<std::string> decode_literal(NodeId node) override;
  void report_handed_on(NodeId node, Value value) override;
  void begin_round() override { kept_.clear(); }

 private:
  static constexpr std::size_t kMaxStarModules = 4;

  struct Arguments {
    std::vector<NodeId> positional;
    std::vector<NodeId> keywords;
  };

  // python_reader.cpp: expressions
  void evaluate_identifier(NodeId node);
  void evaluate_attribute(NodeId node);
  void evaluate_subscript(NodeId node);
  void evaluate_binary(NodeId node);
  void evaluate_sequence(NodeId node);
  void evaluate_conditional(NodeId node);
  void evaluate_decorator(NodeId node);
  void evaluate_augmented(NodeId node);
  void report_look_alikes(NodeId node, std::string_view name);
  Value as_part(Value added);
  Value as_instance(Value made);
  Value item_of(NodeId node, Value container, NodeId key);
  Value item_of_name(NodeId node, NameId name, NodeId key);

  // python_bindings.cpp
  enum class Telling : std::uint8_t { nothing, facts };
  template <typename Visit>
  void each_target(NodeId pattern, Value value, Telling telling, Visit visit);
  void bind_pattern(NodeId pattern, Value value);
  void bind_item(NodeId target, Value bound);
  void replace_builtin(NodeId target, Value owner, Word word, Value bound);
  void evaluate_import(NodeId node);
  void evaluate_import_from(NodeId node);
  void add_import(NodeId node, std::string_view module, std::string_view taken);

  // python_escapes.cpp: values that leave what is followed
  [[nodiscard]] std::string_view danger_of(Value value) const;
  [[nodiscard]] bool is_namespace(NameId name) const;
  [[nodiscard]] bool is_module(NameId name) const;
  void remember_module(NameId name);
  [[nodiscard]] std::optional<Word> inner_module(NameId parent, Word word);
  void report_inner_module(NodeId node, Value object, Word word);
  void report_whole_namespace(NodeId node, Value object, std::string_view member);
  [[nodiscard]] bool is_dangerous(Value value);
  void follow_kept(NodeId node);
  void follow_assigned(NodeId left, NodeId right);
  void follow_looped(NodeId left, NodeId right);
  void report_kept_by_class(NodeId node);
  void forget_kept_by_function(NodeId node);
  void evaluate_comparison(NodeId node);
  [[nodiscard]] bool is_plain(NodeId node) const;
  [[nodiscard]] bool is_known_class(Value value) const;
  [[nodiscard]] bool are_known_classes(NodeId node) const;
  void report_failing_member(NodeId node, Value object, Word word);

  // python_patterns.cpp: match statements
  void evaluate_match(NodeId node);
  [[nodiscard]] bool is_asked_by_pattern(NodeId pattern);
  void find_metaclass(NodeId definition);
  Value taken_by_pattern(NodeId name, Value object);
  void evaluate_class_pattern(NodeId pattern);
  void evaluate_value_pattern(NodeId dotted);
  Value value_of_dotted(NodeId dotted);
  Value take_member(NodeId node, Value object, std::string_view name);
  void report_class_member(NodeId node, Word word, Value held);

  // python_formats.cpp: texts with fields
  void call_format(NodeId node, NameId name, const Arguments& arguments);
  void report_fields(NodeId node, std::string_view format, const Arguments& arguments);
  void report_field(NodeId node, std::string_view field, Value object);

  // python_calls.cpp
  void evaluate_call(NodeId node);
  [[nodiscard]] Arguments arguments_of(NodeId call) const;
  [[nodiscard]] Value argument(const Arguments& arguments, std::size_t index, std::string_view name) const;
  Value call_name(NodeId node, NameId name, const Arguments& arguments);
  Value call_member_of_name(NodeId node, NameId name, const Arguments& arguments);
  Value call_unknown(NodeId function, const Arguments& arguments);
  Value call_member_getter(NodeId node, NameId name, const Arguments& arguments);
  void call_for_each(NodeId node, const Arguments& arguments);
  Value call_import(NodeId node, NameId name, const Arguments& arguments);
  Value import_by_name(NodeId node, NameId name, Value module);
  Value import_taken(NodeId node, NameId name, Value module, NodeId taken);
  Value call_get_member(NodeId node, NameId name, Value object, Value member_name);
  void call_set_member(NodeId node, NameId name, Value object, Value member_name, Value assigned);
  void call_type(NodeId node, NameId name, const Arguments& arguments);
  void call_run_code(NodeId node, NameId name, Value code);
  void call_run_statements(NodeId node, NameId name, const Arguments& arguments);
  void follow_arguments(PythonSpecial kind, const Arguments& arguments);
  [[nodiscard]] NodeId argument_node(const Arguments& arguments, std::size_t index, std::string_view name) const;
  Value member_by_word(Value object, Word word);
  Value members_of(Value object, std::string_view dotted);
  Value fold_method(std::string_view method, const std::string& constant, const Arguments& arguments);
  void add_dynamic(NodeId node, NameId name, std::string why);
  [[nodiscard]] PythonSpecial special(NameId name) const {
    return name < known_.specials.size() ? known_.specials[name] : PythonSpecial::none;
  }
  static bool is_revealing(std::string_view member);
  static bool takes_item(std::string_view method);
  [[nodiscard]] static bool is_marked(const std::vector<bool>& marks, std::uint32_t index) {
    return index < marks.size() && marks[index];
  }

  PythonNames& known_;
  std::vector<NameId> star_modules_;
  std::vector<bool> modules_;         // by NameId: what the program imports
  bool answers_for_members_ = false;  // the program defines __getattr__ somewhere
  bool has_metaclass_ = false;        // and a class of classes
  std::vector<NodeId> kept_;  // assignments of what would be dangerous elsewhere, not yet known to be a function's own
};

}  // namespace glovebox::policy

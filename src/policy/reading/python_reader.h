// Reads Python. What is followed, and what is not: docs/program-facts.md.
#pragma once

#include "policy/reading/name_reader.h"

namespace glovebox::policy {

// What a function does to names, if it is one that the reader knows.
enum class PythonSpecial : std::uint8_t {
  none,
  import_module,  // (module name): gives that module
  import_top,     // __import__("a.b") gives a
  run_code,       // (text of a program, …)
  get_member,     // (object, member's name)
  set_member,     // (object, member's name, value)
  drop_member,    // (object, member's name)
  member_getter,  // (members' names…)
  namespace_of,   // vars(object), or of the caller
  own_namespace,  // globals(), locals()
  modules,        // sys.modules
  builtins,       // the module, or __builtins__
  character,      // chr(number)
  apply_to_each,  // map(function, sequence)
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
  Word namespace_word = 0;              // __dict__
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
  void report_look_alikes(NodeId node, std::string_view name);
  Value as_part(Value added);
  Value as_instance(Value made);
  Value item_of(NodeId node, Value container, NodeId key);
  Value item_of_name(NodeId node, NameId name, NodeId key);

  // python_bindings.cpp
  template <typename Visit>
  void each_target(NodeId pattern, Value value, Visit visit);
  void bind_pattern(NodeId pattern, Value value);
  void evaluate_import(NodeId node);
  void evaluate_import_from(NodeId node);
  void add_import(NodeId node, std::string_view module, std::string_view taken);

  // python_calls.cpp
  void evaluate_call(NodeId node);
  [[nodiscard]] Arguments arguments_of(NodeId call) const;
  [[nodiscard]] Value argument(const Arguments& arguments, std::size_t index, std::string_view name) const;
  Value call_name(NodeId node, NameId name, const Arguments& arguments);
  Value call_member_of_name(NodeId node, NameId name, const Arguments& arguments);
  Value call_unknown(NodeId function, const Arguments& arguments);
  Value call_member_getter(NodeId node, NameId name, const Arguments& arguments);
  void call_for_each(NodeId node, const Arguments& arguments);
  Value call_import(NodeId node, NameId name, Value module);
  Value call_get_member(NodeId node, NameId name, Value object, Value member_name);
  void call_set_member(NodeId node, NameId name, Value member_name, Value assigned);
  void call_run_code(NodeId node, NameId name, Value code);
  Value fold_method(std::string_view method, const std::string& constant, const Arguments& arguments);
  void add_dynamic(NodeId node, NameId name, std::string why);
  [[nodiscard]] PythonSpecial special(NameId name) const {
    return name < known_.specials.size() ? known_.specials[name] : PythonSpecial::none;
  }
  static bool is_revealing(std::string_view member);

  PythonNames& known_;
  std::vector<NameId> star_modules_;
};

}  // namespace glovebox::policy

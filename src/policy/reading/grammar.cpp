#include "policy/reading/grammar.h"

#include <tree_sitter/parser.h>

#include <string_view>
#include <unordered_map>

extern "C" {
const TSLanguage* tree_sitter_python(void);
const TSLanguage* tree_sitter_javascript(void);
const TSLanguage* tree_sitter_bash(void);
}

namespace glovebox::policy {
namespace {

const std::unordered_map<std::string_view, Kind>& kind_names() {
  static const std::unordered_map<std::string_view, Kind> kNames = {
#define GLOVEBOX_SYNTAX_KIND(name, text) {text, Kind::name},
      GLOVEBOX_SYNTAX_KINDS(GLOVEBOX_SYNTAX_KIND)
#undef GLOVEBOX_SYNTAX_KIND
      // What is a pattern and what an expression is settled by what comes after it; readers see that from the parent.
      {"list_pattern", Kind::list},
      {"pattern_list", Kind::expression_list},
      {"tuple_pattern", Kind::tuple},
  };
  return kNames;
}

const std::unordered_map<std::string_view, Field>& field_names() {
  static const std::unordered_map<std::string_view, Field> kNames = {
#define GLOVEBOX_SYNTAX_FIELD(name, text) {text, Field::name},
      GLOVEBOX_SYNTAX_FIELDS(GLOVEBOX_SYNTAX_FIELD)
#undef GLOVEBOX_SYNTAX_FIELD
  };
  return kNames;
}

bool is_operator(Kind kind) {
  return kind == Kind::plus || kind == Kind::plus_equals || kind == Kind::percent || kind == Kind::minus;
}

// What may stand between any two tokens: left out of the tree.
bool is_extra(std::string_view name) {
  return name == "comment" || name == "html_comment" || name == "line_continuation";
}

// A keyword such as `await` and the expression that it begins have the same name; the keyword is of no interest.
Kind kind_of(std::string_view name, const TSSymbolMetadata& symbol) {
  if (is_extra(name)) {
    return Kind::dropped;
  }
  const auto found = kind_names().find(name);
  if (!symbol.named) {
    return found != kind_names().end() && is_operator(found->second) ? found->second : Kind::dropped;
  }
  return found == kind_names().end() ? Kind::other : found->second;
}

Grammar make_grammar(const TSLanguage* language) {
  Grammar grammar;
  grammar.language = language;
  const std::uint32_t symbols = language->symbol_count + language->alias_count;
  for (std::uint32_t symbol = 0; symbol < symbols; ++symbol) {
    grammar.kinds.push_back(kind_of(language->symbol_names[symbol], language->symbol_metadata[symbol]));
  }
  grammar.fields.push_back(Field::none);
  for (std::uint32_t field = 1; field <= language->field_count; ++field) {
    const auto found = field_names().find(language->field_names[field]);
    grammar.fields.push_back(found == field_names().end() ? Field::none : found->second);
  }
  return grammar;
}

}  // namespace

const Grammar& grammar_of(Syntax syntax) {
  static const Grammar kPython = make_grammar(tree_sitter_python());
  static const Grammar kJavascript = make_grammar(tree_sitter_javascript());
  static const Grammar kShell = [] {
    Grammar grammar = make_grammar(tree_sitter_bash());
    grammar.scanner_needs_undo = true;
    return grammar;
  }();
  switch (syntax) {
    case Syntax::python:
      return kPython;
    case Syntax::javascript:
      return kJavascript;
    case Syntax::shell:
      break;
  }
  return kShell;
}

}  // namespace glovebox::policy

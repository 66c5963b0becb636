// The node types and fields of the grammars that readers ask about, under one name in all three languages.
//
// A named type that is not listed becomes `other` and keeps its children. A token without a name that is not listed is
// dropped, as comments are.
#pragma once

#include <cstdint>

namespace glovebox::policy {

// name here, name in the grammar
#define GLOVEBOX_SYNTAX_KINDS(X)                                                    \
  X(aliased_import, "aliased_import")                                               \
  X(ansi_c_string, "ansi_c_string")                                                 \
  X(argument_list, "argument_list")                                                 \
  X(arguments, "arguments")                                                         \
  X(array, "array")                                                                 \
  X(array_pattern, "array_pattern")                                                 \
  X(arrow_function, "arrow_function")                                               \
  X(as_pattern, "as_pattern")                                                       \
  X(as_pattern_target, "as_pattern_target")                                         \
  X(assignment, "assignment")                                                       \
  X(assignment_expression, "assignment_expression")                                 \
  X(assignment_pattern, "assignment_pattern")                                       \
  X(attribute, "attribute")                                                         \
  X(augmented_assignment, "augmented_assignment")                                   \
  X(augmented_assignment_expression, "augmented_assignment_expression")             \
  X(await, "await")                                                                 \
  X(await_expression, "await_expression")                                           \
  X(binary_expression, "binary_expression")                                         \
  X(binary_operator, "binary_operator")                                             \
  X(block, "block")                                                                 \
  X(boolean_operator, "boolean_operator")                                           \
  X(brace_expression, "brace_expression")                                           \
  X(call, "call")                                                                   \
  X(call_expression, "call_expression")                                             \
  X(case_clause, "case_clause")                                                     \
  X(case_pattern, "case_pattern")                                                   \
  X(catch_clause, "catch_clause")                                                   \
  X(class_body, "class_body")                                                       \
  X(class_declaration, "class_declaration")                                         \
  X(class_definition, "class_definition")                                           \
  X(class_expression, "class")                                                      \
  X(class_pattern, "class_pattern")                                                 \
  X(command, "command")                                                             \
  X(command_name, "command_name")                                                   \
  X(command_substitution, "command_substitution")                                   \
  X(comparison_operator, "comparison_operator")                                     \
  X(compound_statement, "compound_statement")                                       \
  X(computed_property_name, "computed_property_name")                               \
  X(concatenated_string, "concatenated_string")                                     \
  X(concatenation, "concatenation")                                                 \
  X(conditional_expression, "conditional_expression")                               \
  X(declaration_command, "declaration_command")                                     \
  X(decorator, "decorator")                                                         \
  X(default_parameter, "default_parameter")                                         \
  X(delete_statement, "delete_statement")                                           \
  X(dictionary, "dictionary")                                                       \
  X(dictionary_splat_pattern, "dictionary_splat_pattern")                           \
  X(do_group, "do_group")                                                           \
  X(dotted_name, "dotted_name")                                                     \
  X(escape_interpolation, "escape_interpolation")                                   \
  X(escape_sequence, "escape_sequence")                                             \
  X(except_clause, "except_clause")                                                 \
  X(except_group_clause, "except_group_clause")                                     \
  X(exec_statement, "exec_statement")                                               \
  X(expansion, "expansion")                                                         \
  X(export_specifier, "export_specifier")                                           \
  X(export_statement, "export_statement")                                           \
  X(expression_list, "expression_list")                                             \
  X(expression_statement, "expression_statement")                                   \
  X(field_definition, "field_definition")                                           \
  X(file_redirect, "file_redirect")                                                 \
  X(for_in_clause, "for_in_clause")                                                 \
  X(for_in_statement, "for_in_statement")                                           \
  X(for_statement, "for_statement")                                                 \
  X(format_specifier, "format_specifier")                                           \
  X(formal_parameters, "formal_parameters")                                         \
  X(function_declaration, "function_declaration")                                   \
  X(function_definition, "function_definition")                                     \
  X(function_expression, "function_expression")                                     \
  X(future_import_statement, "future_import_statement")                             \
  X(generator_function, "generator_function")                                       \
  X(generator_function_declaration, "generator_function_declaration")               \
  X(global_statement, "global_statement")                                           \
  X(heredoc_body, "heredoc_body")                                                   \
  X(heredoc_content, "heredoc_content")                                             \
  X(heredoc_redirect, "heredoc_redirect")                                           \
  X(heredoc_start, "heredoc_start")                                                 \
  X(herestring_redirect, "herestring_redirect")                                     \
  X(identifier, "identifier")                                                       \
  X(import_clause, "import_clause")                                                 \
  X(import_from_statement, "import_from_statement")                                 \
  X(import_keyword, "import")                                                       \
  X(import_specifier, "import_specifier")                                           \
  X(import_statement, "import_statement")                                           \
  X(integer, "integer")                                                             \
  X(interpolation, "interpolation")                                                 \
  X(keyword_argument, "keyword_argument")                                           \
  X(keyword_pattern, "keyword_pattern")                                             \
  X(lambda, "lambda")                                                               \
  X(lambda_parameters, "lambda_parameters")                                         \
  X(lexical_declaration, "lexical_declaration")                                     \
  X(list, "list")                                                                   \
  X(list_comprehension, "list_comprehension")                                       \
  X(list_splat, "list_splat")                                                       \
  X(list_splat_pattern, "list_splat_pattern")                                       \
  X(member_expression, "member_expression")                                         \
  X(match_statement, "match_statement")                                             \
  X(meta_property, "meta_property")                                                 \
  X(method_definition, "method_definition")                                         \
  X(minus, "-")                                                                     \
  X(named_expression, "named_expression")                                           \
  X(named_imports, "named_imports")                                                 \
  X(namespace_export, "namespace_export")                                           \
  X(namespace_import, "namespace_import")                                           \
  X(new_expression, "new_expression")                                               \
  X(nonlocal_statement, "nonlocal_statement")                                       \
  X(not_operator, "not_operator")                                                   \
  X(number, "number")                                                               \
  X(object, "object")                                                               \
  X(object_assignment_pattern, "object_assignment_pattern")                         \
  X(object_pattern, "object_pattern")                                               \
  X(optional_chain, "optional_chain")                                               \
  X(pair, "pair")                                                                   \
  X(pair_pattern, "pair_pattern")                                                   \
  X(parameters, "parameters")                                                       \
  X(parenthesized_expression, "parenthesized_expression")                           \
  X(percent, "%")                                                                   \
  X(plus, "+")                                                                      \
  X(plus_equals, "+=")                                                              \
  X(private_property_identifier, "private_property_identifier")                     \
  X(process_substitution, "process_substitution")                                   \
  X(program, "program")                                                             \
  X(property_identifier, "property_identifier")                                     \
  X(raw_string, "raw_string")                                                       \
  X(redirected_statement, "redirected_statement")                                   \
  X(relative_import, "relative_import")                                             \
  X(rest_pattern, "rest_pattern")                                                   \
  X(sequence_expression, "sequence_expression")                                     \
  X(set, "set")                                                                     \
  X(shorthand_property_identifier, "shorthand_property_identifier")                 \
  X(shorthand_property_identifier_pattern, "shorthand_property_identifier_pattern") \
  X(simple_expansion, "simple_expansion")                                           \
  X(slice, "slice")                                                                 \
  X(special_variable_name, "special_variable_name")                                 \
  X(spread_element, "spread_element")                                               \
  X(statement_block, "statement_block")                                             \
  X(string, "string")                                                               \
  X(string_content, "string_content")                                               \
  X(string_fragment, "string_fragment")                                             \
  X(string_start, "string_start")                                                   \
  X(subscript, "subscript")                                                         \
  X(subscript_expression, "subscript_expression")                                   \
  X(subshell, "subshell")                                                           \
  X(template_string, "template_string")                                             \
  X(template_substitution, "template_substitution")                                 \
  X(ternary_expression, "ternary_expression")                                       \
  X(test_command, "test_command")                                                   \
  X(this_keyword, "this")                                                           \
  X(translated_string, "translated_string")                                         \
  X(tuple, "tuple")                                                                 \
  X(typed_default_parameter, "typed_default_parameter")                             \
  X(typed_parameter, "typed_parameter")                                             \
  X(unary_expression, "unary_expression")                                           \
  X(unary_operator, "unary_operator")                                               \
  X(unset_command, "unset_command")                                                 \
  X(variable_assignment, "variable_assignment")                                     \
  X(variable_declaration, "variable_declaration")                                   \
  X(variable_declarator, "variable_declarator")                                     \
  X(variable_name, "variable_name")                                                 \
  X(wildcard_import, "wildcard_import")                                             \
  X(with_item, "with_item")                                                         \
  X(with_statement, "with_statement")                                               \
  X(word, "word")

enum class Kind : std::uint16_t {
  dropped,
  other,
  error,    // what the recovering parser could not place
  missing,  // what it put in, so that the rest makes sense
#define GLOVEBOX_SYNTAX_KIND(name, text) name,
  GLOVEBOX_SYNTAX_KINDS(GLOVEBOX_SYNTAX_KIND)
#undef GLOVEBOX_SYNTAX_KIND
};

#define GLOVEBOX_SYNTAX_FIELDS(X) \
  X(alias, "alias")               \
  X(alternative, "alternative")   \
  X(argument, "argument")         \
  X(arguments, "arguments")       \
  X(attribute, "attribute")       \
  X(body, "body")                 \
  X(code, "code")                 \
  X(condition, "condition")       \
  X(consequence, "consequence")   \
  X(constructor, "constructor")   \
  X(definition, "definition")     \
  X(destination, "destination")   \
  X(expression, "expression")     \
  X(function, "function")         \
  X(index, "index")               \
  X(key, "key")                   \
  X(left, "left")                 \
  X(module_name, "module_name")   \
  X(name, "name")                 \
  X(object, "object")             \
  X(parameter, "parameter")       \
  X(parameters, "parameters")     \
  X(property, "property")         \
  X(redirect, "redirect")         \
  X(right, "right")               \
  X(source, "source")             \
  X(subject, "subject")           \
  X(subscript, "subscript")       \
  X(superclasses, "superclasses") \
  X(type, "type")                 \
  X(value, "value")               \
  X(variable, "variable")

enum class Field : std::uint16_t {
  none,
#define GLOVEBOX_SYNTAX_FIELD(name, text) name,
  GLOVEBOX_SYNTAX_FIELDS(GLOVEBOX_SYNTAX_FIELD)
#undef GLOVEBOX_SYNTAX_FIELD
};

}  // namespace glovebox::policy

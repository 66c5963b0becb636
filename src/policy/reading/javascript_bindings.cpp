#include "policy/reading/javascript_reader.h"

namespace glovebox::policy {

// The words that a declaration, an assignment or parameters bind, each with its value.
template <typename Visit>
void JavascriptReader::each_target(NodeId pattern, Value whole, Visit visit) {
  struct Todo {
    NodeId node;
    Value value;
  };
  std::vector<Todo> todo;
  if (pattern != kNoNode) {
    todo.push_back({pattern, whole});
  }
  while (!todo.empty()) {
    const Todo each = todo.back();
    todo.pop_back();
    const auto member_named = [&](NodeId key) {
      const auto name = property_name(key);
      if (!name && at(key).kind == Kind::computed_property_name && each.value.known()) {
        return combine(each.value, [&](Value one) { return computed_member(key, one, at(key).first_child); });
      }
      return name ? member_by_word(each.value, names_.word(names_.keep(*name))) : Value();
    };
    switch (at(each.node).kind) {
      case Kind::identifier:
      case Kind::member_expression:
      case Kind::subscript_expression:
        visit(each.node, each.value);
        break;
      case Kind::shorthand_property_identifier_pattern:
        visit(each.node, member_named(each.node));
        break;
      case Kind::pair_pattern:
        todo.push_back({child(each.node, Field::value), member_named(child(each.node, Field::key))});
        break;
      case Kind::assignment_pattern:
        todo.push_back({child(each.node, Field::left), join(each.value, value(child(each.node, Field::right)))});
        break;
      case Kind::object_assignment_pattern: {
        const NodeId left = child(each.node, Field::left);
        if (at(left).kind == Kind::shorthand_property_identifier_pattern) {
          visit(left, join(member_named(left), value(child(each.node, Field::right))));
        } else {
          todo.push_back({left, {}});
        }
        break;
      }
      case Kind::array_pattern: {
        std::size_t index = 0;
        each_child(each.node, [&](NodeId part) {
          todo.push_back({part, each.value.known() ? nth_of(each.value, index) : Value()});
          ++index;
        });
        break;
      }
      default:
        each_child(each.node, [&](NodeId part) { todo.push_back({part, each.value}); });
        break;
    }
  }
}

void JavascriptReader::mark_targets(NodeId node) {
  NodeId pattern = kNoNode;
  note_this(node);
  switch (at(node).kind) {
    case Kind::variable_declarator:
    case Kind::function_declaration:
    case Kind::function_expression:
    case Kind::generator_function:
    case Kind::generator_function_declaration:
    case Kind::class_declaration:
    case Kind::class_expression:
      pattern = child(node, Field::name);
      break;
    case Kind::for_in_statement:
      evaluate_early(node, child(node, Field::right));
      [[fallthrough]];
    case Kind::assignment_expression:
    case Kind::augmented_assignment_expression:
      pattern = child(node, Field::left);
      break;
    case Kind::catch_clause:
    case Kind::arrow_function:
      pattern = child(node, Field::parameter);
      break;
    case Kind::formal_parameters:
      pattern = node;
      break;
    case Kind::import_specifier:
      pattern = child(node, child(node, Field::alias) != kNoNode ? Field::alias : Field::name);
      skip(child(node, Field::name));
      break;
    case Kind::import_clause:
    case Kind::namespace_import:
      each_child(node, [&](NodeId each) {
        if (at(each).kind == Kind::identifier) {
          mark_bound(word_of(each));
          skip(each);
        }
      });
      return;
    case Kind::export_specifier:
    case Kind::namespace_export:
      each_child(node, [&](NodeId each) { skip(each); });
      return;
    default:
      return;
  }
  each_target(pattern, {}, [&](NodeId target, Value) {
    const Kind kind = at(target).kind;
    if (kind == Kind::identifier || kind == Kind::shorthand_property_identifier_pattern) {
      mark_bound(word_of(target));
      skip(target);
    }
  });
}

void JavascriptReader::bind_pattern(NodeId pattern, Value whole) {
  each_target(pattern, whole, [&](NodeId target, Value bound) {
    consume(target);
    const bool is_variable =
        at(target).kind != Kind::member_expression && at(target).kind != Kind::subscript_expression;
    if (!is_variable) {
      if (target != pattern) {  // a setter may get it
        add_touched(target, bound);
        report_handed_on(target, bound);
      }
      each_possible(value(child(target, Field::object)), [&](Value owner) {
        console_changed_ = console_changed_ || owner == Value::name(known_.console_name);
      });
    }
    switch (at(target).kind) {
      case Kind::identifier:
      case Kind::shorthand_property_identifier_pattern:
        bind(word_of(target), bound);
        break;
      case Kind::member_expression:
        if (const NodeId property = child(target, Field::property); property != kNoNode) {
          bind_member(word_of(property), bound);
        }
        break;
      default:
        if (const auto key = text(value(child(target, Field::index)))) {
          bind_member(names_.word(names_.keep(*key)), bound);
        }
        break;
    }
  });
}

// What stands before the colon of an object's entry.
std::optional<std::string> JavascriptReader::property_name(NodeId key) {
  switch (at(key).kind) {
    case Kind::property_identifier:
    case Kind::private_property_identifier:
    case Kind::shorthand_property_identifier_pattern:
    case Kind::identifier:
      return std::string(name_of(key));
    case Kind::string:
      return text({Value::Is::literal, key});
    case Kind::computed_property_name:
      return text(value(at(key).first_child));
    default:
      return std::nullopt;
  }
}

// The fact, and the module as a value. A module's name is one word, whatever dots it has.
Value JavascriptReader::add_import(NodeId node, std::string_view module, std::string_view taken) {
  module.remove_prefix(module.starts_with("node:") ? 5 : 0);
  add_fact(FactKind::import, node, std::string(module), std::string(taken));
  const NameId name = names_.root(names_.word(names_.keep(std::string(module))));
  remember_module(name);
  return Value::name(name);
}

void JavascriptReader::evaluate_import(NodeId node) {
  const NodeId source = child(node, Field::source);
  const auto module = text(value(source));
  if (!module) {
    return;
  }
  NodeId clause = kNoNode;
  each_child(node, [&](NodeId each) { clause = at(each).kind == Kind::import_clause ? each : clause; });
  if (clause == kNoNode) {
    static_cast<void>(add_import(source, *module, ""));
    return;
  }
  each_child(clause, [&](NodeId each) {
    switch (at(each).kind) {
      case Kind::identifier:
        bind_pattern(each, add_import(source, *module, "default"));
        break;
      case Kind::namespace_import:
        bind_pattern(at(each).first_child, add_import(source, *module, "*"));
        break;
      default:
        each_child(each, [&](NodeId specifier) {
          const NodeId name = child(specifier, Field::name);
          const auto taken = property_name(name);
          const Value value = add_import(name == kNoNode ? source : name, *module, taken.value_or(""));
          const NodeId alias = child(specifier, Field::alias);
          bind_pattern(alias != kNoNode ? alias : name,
                       taken && *taken != "default" ? member(value, names_.word(names_.keep(*taken))) : value);
        });
        break;
    }
  });
}

void JavascriptReader::evaluate_export(NodeId node) {
  const NodeId source = child(node, Field::source);
  if (const auto module = text(value(source))) {
    static_cast<void>(add_import(source, *module, "*"));
  }
}

}  // namespace glovebox::policy

#include <algorithm>

#include "policy/reading/python_reader.h"

namespace glovebox::policy {

// The words that an assignment's left side, a loop's variables or a function's parameters bind, each with its value.
template <typename Visit>
void PythonReader::each_target(NodeId pattern, Value whole, Telling telling, Visit visit) {
  struct Todo {
    NodeId node;
    Value value;
  };
  std::vector<Todo> todo = {{pattern, whole}};
  while (!todo.empty()) {
    const Todo each = todo.back();
    todo.pop_back();
    switch (at(each.node).kind) {
      case Kind::identifier:
      case Kind::attribute:
      case Kind::subscript:
        visit(each.node, each.value);
        break;
      case Kind::default_parameter:
      case Kind::typed_default_parameter:
        break;  // binds itself, to more than nothing
      case Kind::typed_parameter:
        todo.push_back({at(each.node).first_child, {}});
        break;
      case Kind::class_pattern: {  // of a case: a class's name, and what is asked of it
        const NodeId name = at(each.node).first_child;
        if (telling == Telling::facts) {
          evaluate_class_pattern(each.node);
        }
        for (NodeId part = name == kNoNode ? kNoNode : at(name).next; part != kNoNode; part = at(part).next) {
          todo.push_back({part, each.value});
        }
        break;
      }
      case Kind::keyword_pattern:
        if (const NodeId name = at(each.node).first_child; name != kNoNode && at(name).next != kNoNode) {
          todo.push_back({at(name).next, telling == Telling::facts ? taken_by_pattern(name, each.value) : Value()});
        }
        break;
      case Kind::dotted_name:  // of a case: a lone word captures, a dotted one compares
        if (const NodeId word = at(each.node).first_child; word != kNoNode && at(word).next == kNoNode) {
          visit(word, each.value);
        } else if (telling == Telling::facts) {
          evaluate_value_pattern(each.node);
        }
        break;
      case Kind::expression_list:
      case Kind::tuple:
      case Kind::list: {
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

void PythonReader::mark_targets(NodeId node) {
  NodeId pattern = kNoNode;
  switch (at(node).kind) {
    case Kind::for_statement:
      evaluate_early(node, child(node, Field::right));
      [[fallthrough]];
    case Kind::assignment:
    case Kind::augmented_assignment:
    case Kind::for_in_clause:
      pattern = child(node, Field::left);
      break;
    case Kind::named_expression:
    case Kind::default_parameter:
    case Kind::typed_default_parameter:
    case Kind::function_definition:
    case Kind::class_definition:
      pattern = child(node, Field::name);
      break;
    case Kind::as_pattern:
    case Kind::aliased_import:
    case Kind::except_clause:
    case Kind::except_group_clause:
      pattern = child(node, Field::alias);
      break;
    case Kind::parameters:
    case Kind::lambda_parameters:
    case Kind::case_pattern:
      pattern = node;
      break;
    case Kind::dotted_name:
    case Kind::global_statement:
    case Kind::nonlocal_statement:
      each_child(node, [&](NodeId each) { skip(each); });
      return;
    case Kind::attribute:
      skip(child(node, Field::attribute));
      return;
    case Kind::keyword_argument:
      skip(child(node, Field::name));
      return;
    case Kind::keyword_pattern:
      skip(at(node).first_child);
      return;
    case Kind::import_statement:
    case Kind::import_from_statement:
      each_child(node, [&](NodeId each) {
        if (at(each).field == Field::name && at(each).kind == Kind::dotted_name) {
          mark_bound(word_of(at(each).first_child));
        }
      });
      return;
    default:
      return;
  }
  if (pattern != kNoNode) {
    each_target(pattern, {}, Telling::nothing, [&](NodeId target, Value) {
      if (at(target).kind == Kind::identifier) {
        answers_for_members_ = answers_for_members_ || is_marked(known_.answering_words, word_of(target));
        mark_bound(word_of(target));
        skip(target);
      }
    });
  }
}

void PythonReader::bind_pattern(NodeId pattern, Value whole) {
  if (pattern == kNoNode) {
    return;
  }
  each_target(pattern, whole, Telling::facts, [&](NodeId target, Value bound) {
    consume(target);
    switch (at(target).kind) {
      case Kind::identifier:
        bind(word_of(target), bound);
        report_class_member(target, word_of(target), bound);
        break;
      case Kind::attribute:
        if (const NodeId name = child(target, Field::attribute); name != kNoNode) {
          bind_member(word_of(name), bound);
          report_class_member(target, word_of(name), bound);
          replace_builtin(target, value(child(target, Field::object)), word_of(name), bound);
        }
        break;
      default:
        bind_item(target, bound);
        break;
    }
  });
}

// globals()["f"] = …
void PythonReader::bind_item(NodeId target, Value bound) {
  const auto key = text(value(child(target, Field::subscript)));
  if (!key) {
    return;
  }
  const Word word = names_.word(names_.keep(*key));
  bind_member(word, bound);
  report_class_member(target, word, bound);
  each_possible(value(child(target, Field::value)), [&](Value each) {
    if (!each.has_name()) {
      return;
    }
    const bool is_dict = names_.last(each.id) == known_.namespace_word;
    replace_builtin(target, is_dict ? Value::name(names_.parent(each.id)) : each, word, bound);
  });
}

// What a word of Python's own stands for from now on.
void PythonReader::replace_builtin(NodeId target, Value owner, Word word, Value bound) {
  each_possible(owner, [&](Value each) {
    if (!each.has_name()) {
      return;
    }
    const PythonSpecial kind = special(each.id);
    if (kind == PythonSpecial::builtins) {
      add_dynamic(target, each.id, "what it holds is replaced");
    } else if (kind == PythonSpecial::own_namespace || kind == PythonSpecial::own_module ||
               is_marked(known_.globals_words, names_.last(each.id))) {
      const Value before = look_up(word);
      bind(word, join(before, bound));
      if (!(look_up(word) == before)) {
        ask_again();
      }
    }
  });
}

void PythonReader::add_import(NodeId node, std::string_view module, std::string_view taken) {
  report_look_alikes(node, module);
  report_look_alikes(node, taken);
  add_fact(FactKind::import, node, std::string(module), std::string(taken));
}

namespace {

// A dotted name may be written with blanks and line ends around its dots.
std::string without_blanks(std::string_view text) {
  std::string result;
  for (const char each : text) {
    if (each != ' ' && each != '\t' && each != '\n' && each != '\r' && each != '\\' && each != '\f') {
      result += each;
    }
  }
  return result;
}

}  // namespace

void PythonReader::evaluate_import(NodeId node) {
  if (at(node).kind == Kind::future_import_statement) {
    each_child(node, [&](NodeId each) { add_import(each, "__future__", text_of(each)); });
    return;
  }
  each_child(node, [&](NodeId each) {
    const bool aliased = at(each).kind == Kind::aliased_import;
    const NodeId module = aliased ? child(each, Field::name) : each;
    if (module == kNoNode || at(module).kind != Kind::dotted_name) {
      return;
    }
    const std::string name = without_blanks(text_of(module));
    add_import(module, name, "");
    const NameId imported = names_.dotted(name);
    remember_module(imported);
    set(each, Value::name(imported));
    kept_.push_back(each);
    if (aliased) {
      bind_pattern(child(each, Field::alias), Value::name(imported));
    } else {
      const Word first = word_of(at(module).first_child);
      bind(first, Value::name(names_.root(first)));
    }
  });
}

void PythonReader::evaluate_import_from(NodeId node) {
  const NodeId module_node = child(node, Field::module_name);
  if (module_node == kNoNode) {
    return;
  }
  const std::string module = without_blanks(text_of(module_node));
  const NameId from = module.starts_with('.') ? names_.root(names_.word(names_.keep(module))) : names_.dotted(module);
  each_child(node, [&](NodeId each) {
    if (at(each).kind == Kind::wildcard_import) {
      add_import(each, module, "*");
      if (std::find(star_modules_.begin(), star_modules_.end(), from) == star_modules_.end() &&
          star_modules_.size() < kMaxStarModules) {
        star_modules_.push_back(from);
        ask_again();
      }
      return;
    }
    if (at(each).field != Field::name) {
      return;
    }
    const bool aliased = at(each).kind == Kind::aliased_import;
    const NodeId taken = aliased ? child(each, Field::name) : each;
    if (taken == kNoNode || at(taken).first_child == kNoNode) {
      return;
    }
    add_import(taken, module, text_of(taken));
    report_inner_module(taken, Value::name(from), word_of(taken));
    const Value value = member_of_name(from, word_of(taken));
    set(each, value);
    kept_.push_back(each);
    if (aliased) {
      bind_pattern(child(each, Field::alias), value);
    } else {
      bind(word_of(taken), value);
    }
  });
}

}  // namespace glovebox::policy

#include "policy/reading/javascript_reader.h"

#include "policy/reading/escapes.h"

namespace glovebox::policy {
namespace {

// Members through which a program gets from any object to constructors and modules.
bool is_revealing(std::string_view member) {
  return member == "constructor" || member == "__proto__" || member == "mainModule" || member == "__defineGetter__" ||
         member == "__lookupGetter__";
}

}  // namespace

JavascriptReader::JavascriptReader(JavascriptNames& known, FactList& facts, Clock::time_point deadline)
    : NameReader(known.names, facts, deadline), known_(known) {}

void JavascriptReader::evaluate(NodeId node) {
  switch (at(node).kind) {
    case Kind::identifier:
    case Kind::shorthand_property_identifier:
      set(node, look_up(word_of(node)));
      touch(node);
      if (word_of(node) == known_.arguments_word) {
        unowned_arguments_.push_back(node);
      }
      break;
    case Kind::import_keyword:
      set(node, Value::name(names_.dotted("import")));
      break;
    case Kind::member_expression:
      evaluate_member(node);
      break;
    case Kind::subscript_expression:
      evaluate_subscript(node);
      break;
    case Kind::call_expression:
      evaluate_call(node, child(node, Field::function));
      break;
    case Kind::new_expression:
      evaluate_call(node, child(node, Field::constructor));
      break;
    case Kind::string:
    case Kind::template_string:
      set(node, {Value::Is::literal, node});
      break;
    case Kind::binary_expression:
      evaluate_binary(node);
      break;
    case Kind::ternary_expression:
      set(node, join(value(child(node, Field::consequence)), value(child(node, Field::alternative))));
      break;
    case Kind::parenthesized_expression:
    case Kind::await_expression:
      set(node, value(at(node).first_child));
      break;
    case Kind::sequence_expression:
      each_child(node, [&](NodeId each) { set(node, value(each)); });
      break;
    case Kind::array:
      evaluate_array(node);
      break;
    case Kind::object:
      evaluate_object(node);
      break;
    case Kind::unary_expression:
    case Kind::expression_statement:
      each_child(node, [&](NodeId each) { follow(each); });
      break;
    case Kind::program:
      report_unowned_arguments();
      report_this();
      if (console_changed_) {
        report_console();
      }
      break;
    case Kind::with_statement:
      add_dynamic(node, "with", "what its words stand for is not told");
      break;
    case Kind::method_definition:
      own_arguments(node);
      break;
    case Kind::function_expression:
    case Kind::generator_function:
      own_arguments(node);
      [[fallthrough]];
    case Kind::arrow_function:
      bind_pattern(child(node, Field::parameter), {});
      bind_pattern(child(node, Field::name), {});
      set(node, Value::result(known_.function_name));
      break;
    case Kind::function_declaration:
    case Kind::generator_function_declaration:
      own_arguments(node);
      [[fallthrough]];
    case Kind::class_declaration:
    case Kind::class_expression:
      bind_pattern(child(node, Field::name), {});
      break;
    case Kind::formal_parameters:
      bind_pattern(node, {});
      break;
    case Kind::catch_clause:
      bind_pattern(child(node, Field::parameter), {});
      break;
    case Kind::variable_declarator:
      follow_assigned(child(node, Field::name), child(node, Field::value));
      bind_pattern(child(node, Field::name), value(child(node, Field::value)));
      break;
    case Kind::assignment_expression:
      set(node, value(child(node, Field::right)));
      touch_result(node);
      follow_assigned(child(node, Field::left), child(node, Field::right));
      bind_pattern(child(node, Field::left), value(node));
      break;
    case Kind::augmented_assignment_expression:
      bind_pattern(child(node, Field::left), join(value(child(node, Field::right)), {}));
      break;
    case Kind::for_in_statement:
      if (const NodeId left = child(node, Field::left);
          left != kNoNode && at(left).kind != Kind::member_expression && at(left).kind != Kind::subscript_expression) {
        follow_elements(child(node, Field::right));
      }
      bind_pattern(child(node, Field::left), element_of(value(child(node, Field::right))));
      break;
    case Kind::field_definition:
      if (const auto name = property_name(child(node, Field::property))) {
        bind_member(names_.word(names_.keep(*name)), value(child(node, Field::value)));
      }
      break;
    case Kind::import_statement:
      evaluate_import(node);
      break;
    case Kind::export_statement:
      evaluate_export(node);
      break;
    default:
      break;
  }
}

bool JavascriptReader::is_always_free(Word word) const {
  return word < known_.own_words.size() && known_.own_words[word] && !is_shadowed(word);
}

Value JavascriptReader::member_of_name(NameId parent, Word word) {
  if (special(parent) == JavascriptSpecial::global_object) {
    return Value::name(names_.root(word));
  }
  if (word == known_.value_word && special(parent) == JavascriptSpecial::import_module) {
    return Value::name(parent);  // of a property's descriptor
  }
  const bool of_unknown = names_.is_of_unknown(parent);
  if (word == known_.constructor_word) {
    // The constructor of a constructor makes functions from text, and so does that of a function.
    const bool twice = of_unknown && names_.last(parent) == known_.constructor_word;
    const NameId plain = names_.member(parent, word);
    const bool is_module = special(names_.member(plain, names_.word("_load"))) == JavascriptSpecial::import_module;
    return Value::name((of_unknown && !twice) || is_module ? plain : known_.function_name);
  }
  return Value::name(names_.member(parent, word));
}

// A member of something unknown has a name of its own if it leads further.
Value JavascriptReader::member_by_word(Value object, Word word) {
  const Value result = member(object, word);
  if (!is_revealing(names_.text(word))) {
    return result;
  }
  bool from_unknown = false;
  each_possible(object, [&](Value each) {
    from_unknown = from_unknown || !each.has_name() || (word == known_.proto_word && each.is != Value::Is::name);
  });
  return from_unknown ? join(result, Value::name(names_.member(Names::kUnknown, word))) : result;
}

// The whole name tells of its parts too, but for "?.__proto__.constructor", which becomes "?.constructor".
void JavascriptReader::consume_if_told(NodeId object) {
  bool told = false;
  each_possible(value(object),
                [&](Value each) { told = told || (each.is == Value::Is::name && !names_.is_of_unknown(each.id)); });
  if (told) {
    consume(object);
  }
}

void JavascriptReader::evaluate_member(NodeId node) {
  const NodeId object = child(node, Field::object);
  const NodeId property = child(node, Field::property);
  if (object == kNoNode || property == kNoNode) {
    return;
  }
  consume_if_told(object);
  follow(object);
  set(node, member_by_word(value(object), word_of(property)));
  touch(node);
  report_stack(node, word_of(property));
}

// Members that give a function its callers, and with them what the module itself was given.
void JavascriptReader::report_stack(NodeId node, Word word) {
  if (word < known_.stack_words.size() && known_.stack_words[word]) {
    add_dynamic(node, "?." + std::string(names_.text(word)), "what it gives is not told");
  }
}

void JavascriptReader::evaluate_subscript(NodeId node) {
  const NodeId index = child(node, Field::index);
  const NodeId object = child(node, Field::object);
  if (const auto name = text(value(index))) {
    consume_if_told(object);
    report_stack(node, names_.word(names_.keep(*name)));
  } else if (is_function(without_parentheses(object)) && at(index).kind != Kind::number) {
    add_dynamic(node, "Function[]", "the name of the member is computed");
  }
  follow(object);
  set(node, combine(value(object), [&](Value each) { return computed_member(node, each, index); }));
  touch(node);
}

Value JavascriptReader::computed_member(NodeId node, Value object, NodeId index) {
  return combine(value(index), [&](Value each) {
    if (const auto name = text(each)) {
      return member_by_word(object, names_.word(names_.keep(*name)));
    }
    if (object.is == Value::Is::sequence) {
      return element_of(object);
    }
    if (is_prototype(object) && at(index).kind != Kind::number) {
      add_dynamic(node, names_.to_string(object.id) + "[]", "the name of the member is computed");
      return Value();
    }
    if (object.is != Value::Is::name) {
      return object.is == Value::Is::result ? object : Value();
    }
    if (at(index).kind != Kind::number && special(object.id) != JavascriptSpecial::plain_data) {
      add_dynamic(node, names_.to_string(object.id) + "[]", "the name of the member is computed");
      return Value();
    }
    return Value::result(object.id);
  });
}

void JavascriptReader::evaluate_binary(NodeId node) {
  const NodeId left = child(node, Field::left);
  const NodeId right = child(node, Field::right);
  if (left == kNoNode || right == kNoNode || (!value(left).known() && !value(right).known())) {
    return;
  }
  bool plus = false;
  each_child(node, [&](NodeId each) { plus = plus || at(each).kind == Kind::plus; });
  if (plus) {
    set(node, combine(value(left), [&](Value start) {
          return combine(value(right), [&](Value end) {
            const auto head = text(start);
            const auto tail = head ? text(end) : std::nullopt;
            return tail ? make_text(*head + *tail) : Value();
          });
        }));
    return;
  }
  const SyntaxNode& first = at(left);
  const std::string_view between = source_text().substr(first.end, at(right).start - first.end);
  if (between.find("||") != std::string_view::npos || between.find("&&") != std::string_view::npos ||
      between.find("??") != std::string_view::npos) {
    set(node, join(value(left), value(right)));
    return;
  }
  // A comparison. What is of a class is up to the class, though, and it gets what is asked about.
  if (between.find("instanceof") == std::string_view::npos || value(right).is == Value::Is::name) {
    follow(left);
  }
  follow(right);
}

void JavascriptReader::evaluate_array(NodeId node) {
  bool known = false;
  each_child(node, [&](NodeId each) { known = known || value(each).known(); });
  set(node, known ? Value{Value::Is::sequence, node} : Value());
}

void JavascriptReader::evaluate_object(NodeId node) {
  bool known = false;
  each_child(node, [&](NodeId each) {
    if (at(each).kind != Kind::pair) {
      return;
    }
    const Value held = value(child(each, Field::value));
    known = known || held.known();
    const auto key = property_name(child(each, Field::key));
    if (key) {
      bind_member(names_.word(names_.keep(*key)), held);
    }
  });
  set(node, known ? Value{Value::Is::sequence, node} : Value());
}

// A string or a template, if all of it is constant.
std::optional<std::string> JavascriptReader::decode_literal(NodeId node) {
  std::string result;
  bool constant = true;
  each_child(node, [&](NodeId each) {
    switch (at(each).kind) {
      case Kind::string_fragment:
        result += text_of(each);
        break;
      case Kind::escape_sequence:
        result += unescape(text_of(each), UnknownEscape::drop_backslash);
        break;
      case Kind::template_substitution: {
        const auto inner = text(value(at(each).first_child));
        constant = constant && inner;
        result += inner.value_or(std::string());
        break;
      }
      default:
        break;
    }
  });
  return constant ? std::optional(result) : std::nullopt;
}

}  // namespace glovebox::policy

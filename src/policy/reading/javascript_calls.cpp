#include <algorithm>

#include "policy/reading/escapes.h"
#include "policy/reading/folding.h"
#include "policy/reading/javascript_reader.h"

namespace glovebox::policy {

JavascriptReader::Arguments JavascriptReader::arguments_of(NodeId call) const {
  Arguments result;
  const NodeId list = child(call, Field::arguments);
  if (list != kNoNode && at(list).kind == Kind::arguments) {
    each_child(list, [&](NodeId each) { result.push_back(each); });
  } else if (list != kNoNode) {
    result.push_back(list);  // eval`…`
  }
  return result;
}

Value JavascriptReader::argument(const Arguments& arguments, std::size_t index) const {
  return index < arguments.size() ? value(arguments[index]) : Value();
}

void JavascriptReader::evaluate_call(NodeId node, NodeId function) {
  if (function == kNoNode) {
    return;
  }
  consume(function);
  follow(function);
  const Arguments arguments = arguments_of(node);
  if (const Value callee = value(function); callee.is == Value::Is::name) {
    const bool only_looks = names_.text(names_.last(names_.parent(callee.id))) == "console";
    const bool makes_object = names_.to_string(callee.id) == "Object.create";
    for (std::size_t index = 0; index < arguments.size(); ++index) {
      if (only_looks || (index == 0 && (special(callee.id) == JavascriptSpecial::get_member || makes_object))) {
        follow(arguments[index]);
      }
      if (only_looks && is_dangerous(value(arguments[index]))) {
        console_arguments_.push_back(arguments[index]);
      }
    }
  }
  set(node, combine(value(function), [&](Value each) { return call_value(function, each, arguments); }));
  touch_result(node);
}

Value JavascriptReader::call_value(NodeId function, Value callee, const Arguments& arguments) {
  switch (callee.is) {
    case Value::Is::name:
      return call_name(function, callee.id, arguments);
    case Value::Is::result:
      if (special(callee.id) == JavascriptSpecial::make_importer) {
        return call_import(function, callee.id, argument(arguments, 0));
      }
      return callee;
    case Value::Is::method: {
      const Value given = call_name(function, callee.id, arguments);
      return given == Value::result(callee.id) ? Value::result(names_.parent(callee.id)) : given;
    }
    default:
      return call_unknown(function, arguments);
  }
}

// A method of something unknown, of a string or of an array.
Value JavascriptReader::call_unknown(NodeId function, const Arguments& arguments) {
  if (at(function).kind != Kind::member_expression) {
    return {};
  }
  const std::string_view method = name_of(child(function, Field::property));
  return combine(value(child(function, Field::object)), [&](Value each) {
    if (each.has_name()) {
      return Value();  // called under its name
    }
    const auto constant = text(each);
    add_fact(FactKind::call, function, std::string(constant ? "String." : "?.").append(method));
    if (const Word word = names_.word(method); is_importing(word)) {
      return call_import(function, names_.member(Names::kUnknown, word), argument(arguments, 0));
    }
    if (constant) {
      return fold_method(method, *constant, arguments);
    }
    return method == "join" ? fold_join(each, arguments) : Value();
  });
}

Value JavascriptReader::call_name(NodeId node, NameId name, const Arguments& arguments) {
  const NameId owner = names_.parent(name);
  const std::string_view last = names_.text(names_.last(name));
  if (owner != 0 && owner != Names::kUnknown && special(name) == JavascriptSpecial::none &&
      (last == "call" || last == "apply" || last == "bind")) {
    // The arguments come after an object, or in a list.
    const Arguments rest = last == "apply"     ? listed_arguments(arguments.size() > 1 ? arguments[1] : kNoNode)
                           : arguments.empty() ? Arguments()
                                               : Arguments(arguments.begin() + 1, arguments.end());
    if (last == "bind" && rest.empty()) {
      add_fact(FactKind::call, node, owner);
      return Value::name(owner);
    }
    const Value given = call_name(node, owner, rest);
    return last == "bind" ? Value::name(owner) : given;
  }
  add_fact(FactKind::call, node, name);
  if (last == "then" && owner != 0 && !arguments.empty()) {
    bind_awaited(arguments.front(), Value::name(owner));
  }
  switch (special(name)) {
    case JavascriptSpecial::import_module:
      return call_import(node, name, argument(arguments, 0));
    case JavascriptSpecial::run_code:
      call_run_code(node, name, argument(arguments, 0));
      break;
    case JavascriptSpecial::make_function:
      call_make_function(node, name, arguments);
      break;
    case JavascriptSpecial::run_later:
      if (const Value first = argument(arguments, 0); first.is == Value::Is::literal || first.is == Value::Is::text) {
        call_run_code(node, name, first);
      }
      break;
    case JavascriptSpecial::get_member:
      return call_get_member(node, name, argument(arguments, 0), argument(arguments, 1));
    case JavascriptSpecial::apply_function:
      return combine(argument(arguments, 0), [&](Value each) {
        // Reflect.apply(function, this, […]), Reflect.construct(function, […])
        const std::size_t list = last == "apply" ? 2 : 1;
        follow(arguments.front());
        return each.is == Value::Is::name
                   ? call_name(node, each.id, listed_arguments(list < arguments.size() ? arguments[list] : kNoNode))
                   : Value();
      });
    case JavascriptSpecial::characters:
      return fold_characters(arguments);
    case JavascriptSpecial::none:
      if (is_importing(names_.last(name))) {
        return call_import(node, name, argument(arguments, 0));
      }
      if (names_.last(name) == known_.constructor_word) {
        call_constructor(node, name, arguments);
      }
      break;
    default:
      break;
  }
  return Value::result(name);
}

// Of a list of arguments that stands in the text; else one of which nothing is known.
JavascriptReader::Arguments JavascriptReader::listed_arguments(NodeId list) const {
  Arguments result;
  if (value(list).is == Value::Is::sequence) {
    list = value(list).id;
  }
  if (list == kNoNode || at(list).kind != Kind::array) {
    return {kNoNode};
  }
  each_child(list, [&](NodeId each) { result.push_back(each); });
  return result;
}

// A default of a parameter is code as well as the body is.
void JavascriptReader::call_make_function(NodeId node, NameId name, const Arguments& arguments) {
  for (const NodeId each : arguments) {
    if (each == arguments.back()) {
      call_run_code(node, name, value(each));
      continue;
    }
    call_run_code(node, name, combine(value(each), [&](Value parameter) {
                    const auto constant = text(parameter);
                    return constant ? make_text("(" + *constant + ") => 0") : Value();
                  }));
  }
}

// The constructor of a function makes functions from text; whose constructor this is, nobody knows.
void JavascriptReader::call_constructor(NodeId node, NameId name, const Arguments& arguments) {
  const bool harmless =
      std::all_of(arguments.begin(), arguments.end(), [&](NodeId each) { return at(each).kind == Kind::number; });
  if (!harmless) {
    add_fact(FactKind::call, node, known_.function_name);
    call_make_function(node, name, arguments);
  }
}

Value JavascriptReader::call_import(NodeId node, NameId name, Value module) {
  return combine(module, [&](Value each) {
    const auto wanted = text(each);
    if (wanted) {
      return add_import(node, *wanted, "");
    }
    add_dynamic(node, names_.to_string(name), "the name of the module is computed");
    return Value();
  });
}

// import("fs").then((fs) => …)
void JavascriptReader::bind_awaited(NodeId callback, Value module) {
  const NodeId list = child(callback, Field::parameters);
  const NodeId first = list == kNoNode ? child(callback, Field::parameter) : at(list).first_child;
  bind_pattern(first, module);
}

Value JavascriptReader::call_get_member(NodeId node, NameId name, Value object, Value member_name) {
  return combine(member_name, [&](Value each) {
    const auto wanted = text(each);
    if (!wanted) {
      add_dynamic(node, names_.to_string(name), "the name of the member is computed");
      return Value();
    }
    const Word word = names_.word(names_.keep(*wanted));
    const Value found = member_by_word(object, word);
    const Value given = found.known() ? found : Value::name(names_.member(Names::kUnknown, word));
    add_touched(node, given);
    report_stack(node, word);
    if (word == known_.constructor_word) {
      report_handed_on(node, given);
    }
    return given;
  });
}

// Code in a constant is read like the rest of the program.
void JavascriptReader::call_run_code(NodeId node, NameId name, Value code) {
  each_possible(code, [&](Value each) {
    if (auto constant = text(each)) {
      add_inner(std::move(*constant), node, names_.to_string(name));
    } else {
      add_dynamic(node, names_.to_string(name), "the program is computed");
    }
  });
}

Value JavascriptReader::fold_characters(const Arguments& arguments) {
  std::string result;
  for (const NodeId each : arguments) {
    const auto code = at(each).kind == Kind::number ? parse_integer(text_of(each)) : std::nullopt;
    if (!code || *code > 0x10'ffff) {
      return {};
    }
    append_utf8(result, *code);
  }
  return make_text(std::move(result));
}

Value JavascriptReader::fold_join(Value sequence, const Arguments& arguments) {
  const auto separator = arguments.empty() ? std::optional<std::string>(",") : text(argument(arguments, 0));
  return separator ? join_texts(sequence, *separator) : Value();
}

Value JavascriptReader::fold_method(std::string_view method, const std::string& constant, const Arguments& arguments) {
  if (method == "concat") {
    std::string result = constant;
    for (const NodeId each : arguments) {
      const auto part = text(value(each));
      if (!part) {
        return {};
      }
      result += *part;
    }
    return make_text(std::move(result));
  }
  if (method == "replace" || method == "replaceAll") {
    const auto from = text(argument(arguments, 0));
    const auto to = text(argument(arguments, 1));
    return from && to && to->size() <= from->size()
               ? make_text(
                     replace_text(constant, *from, *to, method == "replace" ? Occurrences::first : Occurrences::all))
               : Value();
  }
  if (method == "toLowerCase" || method == "toUpperCase") {
    return make_text(change_case(constant, method == "toUpperCase" ? LetterCase::upper : LetterCase::lower));
  }
  if (method == "trim") {
    return make_text(trim_blanks(constant));
  }
  return method == "toString" || method == "valueOf" ? make_text(constant) : Value();
}

void JavascriptReader::add_dynamic(NodeId node, std::string name, std::string why) {
  add_fact(FactKind::dynamic, node, std::move(name), std::move(why));
}

}  // namespace glovebox::policy

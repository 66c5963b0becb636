#include <algorithm>

#include "policy/reading/escapes.h"
#include "policy/reading/folding.h"
#include "policy/reading/python_reader.h"

namespace glovebox::policy {
namespace {

constexpr std::string_view kComputedModule = "the name of the module is computed";
constexpr std::string_view kComputedMember = "the name of the member is computed";
constexpr std::string_view kComputedCode = "the program is computed";

bool takes_item(std::string_view method) {
  return method == "get" || method == "pop" || method == "setdefault" || method == "__getitem__";
}

}  // namespace

PythonReader::Arguments PythonReader::arguments_of(NodeId call) const {
  Arguments result;
  const NodeId list = child(call, Field::arguments);
  if (list == kNoNode || at(list).kind != Kind::argument_list) {
    return result;
  }
  each_child(list, [&](NodeId each) {
    (at(each).kind == Kind::keyword_argument ? result.keywords : result.positional).push_back(each);
  });
  return result;
}

// A parameter by its place, or by its name.
Value PythonReader::argument(const Arguments& arguments, std::size_t index, std::string_view name) const {
  if (index < arguments.positional.size()) {
    return at(arguments.positional[index]).kind == Kind::list_splat ? Value() : value(arguments.positional[index]);
  }
  for (const NodeId each : arguments.keywords) {
    if (text_of(child(each, Field::name)) == name) {
      return value(child(each, Field::value));
    }
  }
  return {};
}

void PythonReader::evaluate_call(NodeId node) {
  const NodeId function = child(node, Field::function);
  if (function == kNoNode) {
    return;
  }
  consume(function);
  const Arguments arguments = arguments_of(node);
  set(node, combine(value(function), [&](Value each) {
        if (each.is == Value::Is::result) {
          return each;  // what a function gave is called
        }
        const Value given =
            each.has_name() ? call_name(function, each.id, arguments) : call_unknown(function, arguments);
        return each.is == Value::Is::method && given == Value::result(each.id) ? Value::result(names_.parent(each.id))
                                                                               : given;
      }));
}

// A method of something unknown, or of a string.
Value PythonReader::call_unknown(NodeId function, const Arguments& arguments) {
  if (at(function).kind != Kind::attribute) {
    return {};
  }
  const std::string_view method = text_of(child(function, Field::attribute));
  const Value receiver = value(child(function, Field::object));
  return combine(receiver, [&](Value each) {
    if (each.has_name()) {
      return Value();  // called under its name
    }
    const auto constant = text(each);
    const bool is_text = constant || each.is == Value::Is::literal;
    add_fact(FactKind::call, function, std::string(is_text ? "str." : "?.").append(method));
    return constant ? fold_method(method, *constant, arguments) : Value();
  });
}

Value PythonReader::fold_method(std::string_view method, const std::string& constant, const Arguments& arguments) {
  if (method == "join") {
    const Value parts = argument(arguments, 0, "iterable");
    if (parts.is != Value::Is::sequence) {
      return {};
    }
    std::string joined;
    bool first = true;
    bool whole = true;
    each_child(parts.id, [&](NodeId each) {
      const auto part = text(value(each));
      whole = whole && part;
      joined += (first ? std::string() : constant) + part.value_or(std::string());
      first = false;
    });
    return whole ? make_text(std::move(joined)) : Value();
  }
  if (method == "replace") {
    const auto from = text(argument(arguments, 0, "old"));
    const auto to = text(argument(arguments, 1, "new"));
    return from && to && to->size() <= from->size() ? make_text(replace_text(constant, *from, *to, Occurrences::all))
                                                    : Value();
  }
  if (method == "lower" || method == "upper" || method == "casefold") {
    return make_text(change_case(constant, method == "upper" ? LetterCase::upper : LetterCase::lower));
  }
  if ((method == "strip" || method == "lstrip" || method == "rstrip") && arguments.positional.empty()) {
    return make_text(trim_blanks(constant));
  }
  return method == "decode" || method == "encode" || method == "__str__" ? make_text(constant) : Value();
}

Value PythonReader::call_name(NodeId node, NameId name, const Arguments& arguments) {
  add_fact(FactKind::call, node, name);
  switch (special(name)) {
    case PythonSpecial::import_module:
    case PythonSpecial::import_top:
      return call_import(node, name, argument(arguments, 0, "name"));
    case PythonSpecial::run_code:
      call_run_code(node, name, argument(arguments, 0, "source"));
      break;
    case PythonSpecial::get_member:
      return call_get_member(node, name, argument(arguments, 0, "object"), argument(arguments, 1, "name"));
    case PythonSpecial::set_member:
    case PythonSpecial::drop_member:
      call_set_member(node, name, argument(arguments, 1, "name"), argument(arguments, 2, "value"));
      return {};
    case PythonSpecial::member_getter:
      return call_member_getter(node, name, arguments);
    case PythonSpecial::namespace_of:
      if (!arguments.positional.empty()) {
        const Value held = member(argument(arguments, 0, "object"), known_.namespace_word);
        add_touched(node, held);
        return held;
      }
      return Value::result(names_.dotted("globals"));
    case PythonSpecial::character: {
      const NodeId number = arguments.positional.empty() ? kNoNode : arguments.positional[0];
      const auto code =
          number != kNoNode && at(number).kind == Kind::integer ? parse_integer(text_of(number)) : std::nullopt;
      std::string character;
      if (code && *code < 0x11'0000) {
        append_utf8(character, *code);
        return make_text(std::move(character));
      }
      return {};
    }
    case PythonSpecial::apply_to_each:
      call_for_each(node, arguments);
      break;
    default:
      return call_member_of_name(node, name, arguments);
  }
  return Value::result(name);
}

// os.__dict__.get("system"), sys.modules.get("os"), os.__getattribute__("system")
Value PythonReader::call_member_of_name(NodeId node, NameId name, const Arguments& arguments) {
  const std::string_view method = names_.text(names_.last(name));
  const NameId owner = names_.parent(name);
  if (owner != 0 && (method == "__getattribute__" || method == "__getattr__")) {
    return call_get_member(node, name, Value::name(owner), argument(arguments, 0, "name"));
  }
  if (owner != 0 && takes_item(method)) {
    return item_of_name(node, owner, arguments.positional.empty() ? kNoNode : arguments.positional[0]);
  }
  return Value::result(name);
}

// attrgetter("a", "b") gives a function that takes these members from whatever it is given.
Value PythonReader::call_member_getter(NodeId node, NameId name, const Arguments& arguments) {
  const bool only_first = names_.text(names_.last(name)) == "methodcaller";
  Value result = call_get_member(node, name, {}, argument(arguments, 0, "attr"));
  for (std::size_t index = 1; !only_first && index < arguments.positional.size(); ++index) {
    result = join(result, call_get_member(node, name, {}, argument(arguments, index, "attr")));
  }
  return result;
}

void PythonReader::call_for_each(NodeId node, const Arguments& arguments) {
  const Value elements = element_of(argument(arguments, 1, "iterable"));
  each_possible(argument(arguments, 0, "function"), [&](Value each) {
    if (each.is != Value::Is::name) {
      return;
    }
    add_fact(FactKind::call, node, each.id);
    const PythonSpecial kind = special(each.id);
    if (kind == PythonSpecial::import_module || kind == PythonSpecial::import_top) {
      static_cast<void>(call_import(node, each.id, elements));
    } else if (kind == PythonSpecial::run_code) {
      call_run_code(node, each.id, elements);
    }
  });
}

Value PythonReader::call_import(NodeId node, NameId name, Value module) {
  return combine(module, [&](Value each) {
    const auto wanted = text(each);
    if (!wanted) {
      add_dynamic(node, name, std::string(kComputedModule));
      return Value();
    }
    add_fact(FactKind::import, node, *wanted);
    const std::size_t end = special(name) == PythonSpecial::import_top ? wanted->find('.') : std::string::npos;
    return Value::name(names_.dotted(wanted->substr(0, end)));
  });
}

Value PythonReader::call_get_member(NodeId node, NameId name, Value object, Value member_name) {
  return combine(member_name, [&](Value each) {
    const auto wanted = text(each);
    if (!wanted) {
      add_dynamic(node, name, std::string(kComputedMember));
      return Value();
    }
    const Word word = names_.word(names_.keep(*wanted));
    const Value found = member(object, word);
    const Value given = found.known() ? found : Value::name(names_.member(Names::kUnknown, word));
    add_touched(node, given);
    return given;
  });
}

void PythonReader::call_set_member(NodeId node, NameId name, Value member_name, Value assigned) {
  if (const auto wanted = text(member_name)) {
    bind_member(names_.word(names_.keep(*wanted)), assigned);
  } else {
    add_dynamic(node, name, std::string(kComputedMember));
  }
}

// Code in a constant is read like the rest of the program.
void PythonReader::call_run_code(NodeId node, NameId name, Value code) {
  each_possible(code, [&](Value each) {
    if (auto constant = text(each)) {
      add_inner(std::move(*constant), node, names_.to_string(name));
    } else if (each.is != Value::Is::result || special(each.id) != PythonSpecial::run_code) {
      add_dynamic(node, name, std::string(kComputedCode));  // compile() has said it already
    }
  });
}

void PythonReader::add_dynamic(NodeId node, NameId name, std::string why) {
  add_fact(FactKind::dynamic, node, names_.to_string(name), std::move(why));
}

}  // namespace glovebox::policy

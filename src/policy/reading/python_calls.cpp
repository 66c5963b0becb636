#include <algorithm>

#include "policy/reading/escapes.h"
#include "policy/reading/folding.h"
#include "policy/reading/python_reader.h"

namespace glovebox::policy {
namespace {

constexpr std::string_view kComputedModule = "the name of the module is computed";
constexpr std::string_view kComputedMember = "the name of the member is computed";
constexpr std::string_view kComputedCode = "the program is computed";

constexpr std::string_view kUnseenCode = "what it runs or loads is not in the text";

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

// A parameter by its place, or by its name; kNoNode: it is not given.
NodeId PythonReader::argument_node(const Arguments& arguments, std::size_t index, std::string_view name) const {
  if (index < arguments.positional.size()) {
    return arguments.positional[index];
  }
  for (const NodeId each : arguments.keywords) {
    if (text_of(child(each, Field::name)) == name) {
      return child(each, Field::value);
    }
  }
  return kNoNode;
}

Value PythonReader::argument(const Arguments& arguments, std::size_t index, std::string_view name) const {
  const NodeId given = argument_node(arguments, index, name);
  return at(given).kind == Kind::list_splat ? Value() : value(given);
}

// Functions that the reader knows keep nothing of what they are given.
void PythonReader::follow_arguments(PythonSpecial kind, const Arguments& arguments) {
  switch (kind) {
    case PythonSpecial::only_looks:
      for (const NodeId each : arguments.positional) {
        follow(each);
        follow_elements(each);
      }
      break;
    case PythonSpecial::asks_class:
      if (arguments.positional.size() == 2 && are_known_classes(arguments.positional.back())) {
        follow(arguments.positional.front());
      }
      break;
    case PythonSpecial::get_member:
    case PythonSpecial::set_member:
    case PythonSpecial::drop_member:
    case PythonSpecial::namespace_of:
    case PythonSpecial::same_module:
    case PythonSpecial::type_of:
      if (!arguments.positional.empty()) {
        follow(arguments.positional.front());
      }
      break;
    default:
      break;
  }
}

void PythonReader::evaluate_call(NodeId node) {
  const NodeId function = child(node, Field::function);
  if (function == kNoNode) {
    return;
  }
  consume(function);
  follow(function);
  const Arguments arguments = arguments_of(node);
  if (const Value callee = value(function); callee.is == Value::Is::name) {
    follow_arguments(special(callee.id), arguments);
  }
  set(node, combine(value(function), [&](Value each) {
        if (each.is == Value::Is::result) {
          return each;  // what a function gave is called
        }
        const Value given =
            each.has_name() ? call_name(function, each.id, arguments) : call_unknown(function, arguments);
        return each.is == Value::Is::method && given == Value::result(each.id) ? Value::result(names_.parent(each.id))
                                                                               : given;
      }));
  touch_result(node);
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
    if (constant && (method == "format" || method == "format_map")) {
      report_fields(function, *constant, arguments);
    }
    add_fact(FactKind::call, function, std::string(is_text ? "str." : "?.").append(method));
    if (const Word word = names_.word(method); is_marked(known_.loading_words, word)) {
      add_dynamic(function, names_.member(Names::kUnknown, word), std::string(kUnseenCode));
    }
    return constant ? fold_method(method, *constant, arguments) : Value();
  });
}

Value PythonReader::fold_method(std::string_view method, const std::string& constant, const Arguments& arguments) {
  if (method == "join") {
    return join_texts(argument(arguments, 0, "iterable"), constant);
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
    case PythonSpecial::find_object:
      return call_import(node, name, arguments);
    case PythonSpecial::run_code:
      call_run_code(node, name, argument(arguments, 0, "source"));
      break;
    case PythonSpecial::run_statements:
      call_run_statements(node, name, arguments);
      break;
    case PythonSpecial::run_unseen:
      add_dynamic(node, name, std::string(kUnseenCode));
      break;
    case PythonSpecial::get_member:
      return call_get_member(node, name, argument(arguments, 0, "object"), argument(arguments, 1, "name"));
    case PythonSpecial::set_member:
    case PythonSpecial::drop_member:
      call_set_member(node, name, argument(arguments, 0, "object"), argument(arguments, 1, "name"),
                      argument(arguments, 2, "value"));
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
    case PythonSpecial::same_module:
      return argument(arguments, 0, "module");
    case PythonSpecial::type_of:
      call_type(node, name, arguments);
      break;
    case PythonSpecial::format_text:
    case PythonSpecial::format_field:
    case PythonSpecial::format_string:
      call_format(node, name, arguments);
      return {};
    default:
      return call_member_of_name(node, name, arguments);
  }
  return Value::result(name);
}

// os.__dict__.get("system"), sys.modules.get("os"), os.__getattribute__("system")
Value PythonReader::call_member_of_name(NodeId node, NameId name, const Arguments& arguments) {
  const std::string_view method = names_.text(names_.last(name));
  const NameId owner = names_.parent(name);
  if (is_marked(known_.loading_words, names_.last(name))) {
    add_dynamic(node, name, std::string(kUnseenCode));
  }
  if (owner != 0 && (method == "__getattribute__" || method == "__getattr__")) {
    return call_get_member(node, name, Value::name(owner), argument(arguments, 0, "name"));
  }
  if (owner != 0 && takes_item(method)) {
    return item_of_name(node, owner, arguments.positional.empty() ? kNoNode : arguments.positional[0]);
  }
  return Value::result(name);
}

Value PythonReader::member_by_word(Value object, Word word) {
  const Value found = member(object, word);
  return found.known() ? found : member_of_name(Names::kUnknown, word);
}

// A member, or a member of a member: "_os.system".
Value PythonReader::members_of(Value object, std::string_view dotted) {
  Value result = object;
  while (!dotted.empty()) {
    const std::size_t dot = std::min(dotted.find('.'), dotted.size());
    result = member_by_word(result, names_.word(dotted.substr(0, dot)));
    dotted.remove_prefix(std::min(dot + 1, dotted.size()));
  }
  return result;
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
      each_possible(elements, [&](Value module) { static_cast<void>(import_by_name(node, each.id, module)); });
      follow(arguments.positional.front());
    } else if (kind == PythonSpecial::run_code) {
      call_run_code(node, each.id, elements);
      follow(arguments.positional.front());
    }
  });
}

// The module of that name, or with find_object what stands behind it: "os:system", "os.system".
Value PythonReader::import_by_name(NodeId node, NameId name, Value module) {
  auto wanted = text(module);
  if (!wanted || wanted->starts_with('.')) {
    add_dynamic(node, name, std::string(kComputedModule));
    return {};
  }
  const std::size_t colon = wanted->find(':');
  add_fact(FactKind::import, node, wanted->substr(0, colon),
           colon == std::string::npos ? std::string() : wanted->substr(colon + 1));
  std::replace(wanted->begin(), wanted->end(), ':', '.');
  const std::size_t end = special(name) == PythonSpecial::import_top ? wanted->find('.') : std::string::npos;
  const NameId found = names_.dotted(wanted->substr(0, end));
  if (special(name) != PythonSpecial::find_object) {
    remember_module(found);
  }
  return Value::name(found);
}

Value PythonReader::call_import(NodeId node, NameId name, const Arguments& arguments) {
  const Value module = argument(arguments, 0, "name");
  const Value given = combine(module, [&](Value each) {
    // import_module(".part", "package")
    const auto relative = text(each);
    const auto package = text(argument(arguments, 1, "package"));
    if (relative && relative->starts_with('.') && package && special(name) == PythonSpecial::import_module) {
      return import_by_name(node, name, make_text(*package + *relative));
    }
    return import_by_name(node, name, each);
  });
  const NodeId taken = special(name) == PythonSpecial::import_top ? argument_node(arguments, 3, "fromlist") : kNoNode;
  if (taken == kNoNode) {
    return given;
  }
  return join(given, import_taken(node, name, module, taken));
}

// __import__("urllib", fromlist=["request"]) also loads urllib.request, and gives urllib.
Value PythonReader::import_taken(NodeId node, NameId name, Value module, NodeId taken) {
  const auto wanted = text(module);
  if (!wanted) {
    return {};
  }
  if (value(taken).is == Value::Is::sequence) {
    each_child(value(taken).id, [&](NodeId each) {
      if (const auto part = text(value(each))) {
        add_fact(FactKind::import, node, *wanted, *part);
      } else {
        add_dynamic(node, name, std::string(kComputedModule));
      }
    });
  } else if (at(taken).first_child != kNoNode || value(taken).known()) {
    add_dynamic(node, name, std::string(kComputedModule));
  }
  return Value::name(names_.dotted(*wanted));
}

Value PythonReader::call_get_member(NodeId node, NameId name, Value object, Value member_name) {
  return combine(member_name, [&](Value each) {
    const auto wanted = text(each);
    if (!wanted) {
      add_dynamic(node, name, std::string(kComputedMember));
      return Value();
    }
    const std::string_view kept = names_.keep(*wanted);
    const bool in_steps = special(name) == PythonSpecial::member_getter;
    const Value given = in_steps ? members_of(object, kept) : member_by_word(object, names_.word(kept));
    if (!in_steps) {
      report_inner_module(node, object, names_.word(kept));
      report_failing_member(node, object, names_.word(kept));
    }
    add_touched(node, given);
    return given;
  });
}

void PythonReader::call_set_member(NodeId node, NameId name, Value object, Value member_name, Value assigned) {
  if (const auto wanted = text(member_name)) {
    const Word word = names_.word(names_.keep(*wanted));
    bind_member(word, assigned);
    report_class_member(node, word, assigned);
    replace_builtin(node, object, word, assigned);
  } else {
    add_dynamic(node, name, std::string(kComputedMember));
  }
}

// type(name, bases, members) makes a class, whose members have to be in the text like those of any other.
void PythonReader::call_type(NodeId node, NameId name, const Arguments& arguments) {
  if (arguments.positional.size() < 3) {
    return;
  }
  const NodeId members = arguments.positional[2];
  bool told = at(members).kind == Kind::dictionary;
  each_child(members, [&](NodeId each) { told = told && text(value(child(each, Field::key))); });
  if (!told) {
    add_dynamic(node, name, "the members of the class are computed");
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

// timeit takes the statement and what comes before it as text, or as functions.
void PythonReader::call_run_statements(NodeId node, NameId name, const Arguments& arguments) {
  constexpr std::string_view kParameters[] = {"stmt", "setup"};
  for (std::size_t index = 0; index < std::size(kParameters); ++index) {
    const NodeId given = argument_node(arguments, index, kParameters[index]);
    if (given != kNoNode && at(given).kind != Kind::lambda) {
      call_run_code(node, name, argument(arguments, index, kParameters[index]));
    }
  }
}

void PythonReader::add_dynamic(NodeId node, NameId name, std::string why) {
  add_fact(FactKind::dynamic, node, names_.to_string(name), std::move(why));
}

}  // namespace glovebox::policy

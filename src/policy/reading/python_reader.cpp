#include "policy/reading/python_reader.h"

#include <algorithm>

#include "policy/reading/escapes.h"

namespace glovebox::policy {
namespace {

// Python compares identifiers in Unicode's compatibility form, in which such letters become plain ones.
bool has_look_alikes(std::string_view identifier) {
  for (std::size_t at = 0; at < identifier.size(); ++at) {
    if (static_cast<unsigned char>(identifier[at]) < 0x80) {
      continue;
    }
    const std::string_view rest = identifier.substr(at);
    // mathematical alphabets · full width, ligatures · letter-like, super- and subscript, enclosed · phonetic · ª º
    for (const std::string_view lead :
         {"\xf0\x9d\x90", "\xf0\x9d\x91", "\xf0\x9d\x92", "\xf0\x9d\x93", "\xf0\x9d\x94", "\xf0\x9d\x95",
          "\xf0\x9d\x96", "\xf0\x9d\x97", "\xf0\x9d\x98", "\xf0\x9d\x99", "\xf0\x9d\x9a", "\xf0\x9d\x9b",
          "\xf0\x9d\x9c", "\xf0\x9d\x9d", "\xf0\x9d\x9e", "\xf0\x9d\x9f", "\xef\xbc",     "\xef\xbd",
          "\xef\xac",     "\xe2\x81",     "\xe2\x82",     "\xe2\x84",     "\xe2\x85",     "\xe2\x91",
          "\xe2\x92",     "\xe2\x93",     "\xe1\xb4",     "\xe1\xb5",     "\xe1\xb6",     "\xca",
          "\xcb",         "\xc2\xaa",     "\xc2\xba",     "\xc5\xbf"}) {
      if (rest.starts_with(lead)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

PythonReader::PythonReader(PythonNames& known, FactList& facts, Clock::time_point deadline)
    : NameReader(known.names, facts, deadline), known_(known) {}

void PythonReader::evaluate(NodeId node) {
  switch (at(node).kind) {
    case Kind::identifier:
      evaluate_identifier(node);
      break;
    case Kind::attribute:
      evaluate_attribute(node);
      break;
    case Kind::call:
      evaluate_call(node);
      break;
    case Kind::subscript:
      evaluate_subscript(node);
      break;
    case Kind::string:
    case Kind::concatenated_string:
      set(node, {Value::Is::literal, node});
      break;
    case Kind::binary_operator:
      evaluate_binary(node);
      break;
    case Kind::list:
    case Kind::tuple:
    case Kind::set:
    case Kind::dictionary:
    case Kind::expression_list:
      evaluate_sequence(node);
      break;
    case Kind::parenthesized_expression:
    case Kind::await:
    case Kind::list_splat:
      set(node, value(at(node).first_child));
      break;
    case Kind::boolean_operator:
      set(node, join(value(child(node, Field::left)), value(child(node, Field::right))));
      break;
    case Kind::conditional_expression:
      evaluate_conditional(node);
      break;
    case Kind::named_expression:
      set(node, value(child(node, Field::value)));
      touch_result(node);
      follow_assigned(child(node, Field::name), child(node, Field::value));
      bind_pattern(child(node, Field::name), value(node));
      break;
    case Kind::assignment:
      set(node, value(child(node, Field::right)));
      touch_result(node);
      follow_assigned(child(node, Field::left), child(node, Field::right));
      bind_pattern(child(node, Field::left), value(node));
      break;
    case Kind::augmented_assignment:
      evaluate_augmented(node);
      break;
    case Kind::default_parameter:
    case Kind::typed_default_parameter:
      bind_pattern(child(node, Field::name), join(value(child(node, Field::value)), {}));
      break;
    case Kind::for_statement:
    case Kind::for_in_clause:
      follow_looped(child(node, Field::left), child(node, Field::right));
      bind_pattern(child(node, Field::left), element_of(value(child(node, Field::right))));
      break;
    case Kind::as_pattern:
      bind_pattern(child(node, Field::alias), as_instance(value(at(node).first_child)));
      break;
    case Kind::except_clause:
    case Kind::except_group_clause:
      bind_pattern(child(node, Field::alias), {});
      break;
    case Kind::parameters:
    case Kind::lambda_parameters:
    case Kind::case_pattern:
      bind_pattern(node, {});
      break;
    case Kind::lambda:
      forget_kept_by_function(node);
      break;
    case Kind::function_definition:
      forget_kept_by_function(node);
      bind_pattern(child(node, Field::name), {});
      break;
    case Kind::class_definition:
      report_kept_by_class(node);
      find_metaclass(node);
      bind_pattern(child(node, Field::name), {});
      break;
    case Kind::comparison_operator:
      evaluate_comparison(node);
      break;
    case Kind::delete_statement:
    case Kind::expression_statement:
    case Kind::not_operator:
      each_child(node, [&](NodeId each) {
        follow(each);
        follow_elements(each);
      });
      break;
    case Kind::match_statement:
      evaluate_match(node);
      break;
    case Kind::decorator:
      evaluate_decorator(node);
      break;
    case Kind::import_statement:
    case Kind::future_import_statement:
      evaluate_import(node);
      break;
    case Kind::import_from_statement:
      evaluate_import_from(node);
      break;
    case Kind::exec_statement:
      add_dynamic(node, names_.dotted("exec"), "the program is computed");
      break;
    default:
      break;
  }
}

bool PythonReader::is_always_free(Word word) const { return word < known_.own_words.size() && known_.own_words[word]; }

// After `from os import *`, a free word may be a member of os.
Value PythonReader::meaning_of_free(Word word) {
  Value value = Value::name(names_.root(word));
  if (word < known_.builtin_words.size() && known_.builtin_words[word]) {
    return value;
  }
  for (const NameId module : star_modules_) {
    value = join(value, Value::name(names_.member(module, word)));
  }
  return value;
}

Value PythonReader::member_of_name(NameId parent, Word word) {
  if (word == known_.call_word) {
    return Value::name(parent);
  }
  if (special(parent) == PythonSpecial::builtins && word != known_.namespace_word) {
    return Value::name(names_.root(word));
  }
  if (special(parent) == PythonSpecial::own_module && word != known_.namespace_word) {
    return look_up(word);
  }
  if (word == known_.self_word && names_.parent(parent) == 0 && is_marked(known_.builtin_words, names_.last(parent))) {
    return Value::name(known_.builtins_name);  // the module that print belongs to
  }
  if (const auto module = inner_module(parent, word)) {
    return Value::name(names_.root(*module));
  }
  return Value::name(names_.member(parent, word));
}

void PythonReader::report_look_alikes(NodeId node, std::string_view name) {
  if (has_look_alikes(name)) {
    add_fact(FactKind::dynamic, node, std::string(name), "a name in letters that Python reads as other letters");
  }
}

void PythonReader::evaluate_identifier(NodeId node) {
  const std::string_view text = text_of(node);
  report_look_alikes(node, text);
  const Word word = names_.word(text);
  set(node, look_up(word));
  touch(node);
  if (word == known_.case_word && value(node) == Value::name(names_.root(word))) {
    add_dynamic(node, names_.root(word), "a match statement that is not understood");  // match [x]: case [y]: …
  }
}

// Members through which a program gets from any object to the interpreter's insides.
bool PythonReader::is_revealing(std::string_view member) {
  if (member.starts_with("__") && member.ends_with("__")) {
    return true;
  }
  constexpr std::string_view kFrames[] = {"ag_code",      "ag_frame", "cr_code",   "cr_frame", "f_back",
                                          "f_builtins",   "f_code",   "f_globals", "f_locals", "func_code",
                                          "func_globals", "gi_code",  "gi_frame",  "tb_frame", "tb_next"};
  return std::find(std::begin(kFrames), std::end(kFrames), member) != std::end(kFrames);
}

void PythonReader::evaluate_attribute(NodeId node) {
  const NodeId object = child(node, Field::object);
  const NodeId name = child(node, Field::attribute);
  if (object == kNoNode || name == kNoNode) {
    return;
  }
  const std::string_view text = text_of(name);
  report_look_alikes(name, text);
  const Word word = names_.word(text);
  Value result = member(value(object), word);
  // The whole name tells of its parts too, but for "?.__class__.__bases__", which becomes "?.__bases__".
  bool from_name = false;
  bool from_unknown = false;
  each_possible(value(object), [&](Value each) {
    from_name = from_name || (each.is == Value::Is::name && !names_.is_of_unknown(each.id));
    from_unknown = from_unknown || each.is != Value::Is::name;
  });
  if (from_name) {
    consume(object);
    report_inner_module(node, value(object), word);
  }
  follow(object);
  report_whole_namespace(node, value(object), text);
  report_failing_member(node, value(object), word);
  if (is_marked(known_.holding_words, word)) {
    add_dynamic(node, names_.member(Names::kUnknown, word), "what a function holds is taken out of it");
  }
  if (from_unknown && is_revealing(text)) {
    result = join(result, Value::name(names_.member(Names::kUnknown, word)));
  } else if (!from_name) {
    follow(node);  // what an own object holds was handed on when it was put there
  }
  set(node, result);
  touch(node);
}

// What `x += …` adds: a list's functions, but not a string that is only a part of one.
Value PythonReader::as_part(Value added) {
  return join(combine(added, [&](Value each) { return text(each) ? Value() : each; }), {});
}

// What `x += …` adds to may be handed to what is added: its __radd__ is asked.
void PythonReader::evaluate_augmented(NodeId node) {
  const NodeId left = child(node, Field::left);
  const NodeId right = child(node, Field::right);
  if (left != kNoNode && right != kNoNode && !is_plain(right)) {
    report_handed_on(left, at(left).kind == Kind::identifier ? look_up(word_of(left)) : value(left));
  }
  bind_pattern(left, as_part(value(right)));
}

// What `with … as x` and `except … as x` bind is made by the name, not the name itself.
Value PythonReader::as_instance(Value made) {
  return combine(made, [&](Value each) {
    const Value maker = each.is == Value::Is::sequence ? element_of(each) : each;
    return combine(maker, [](Value one) { return one.is == Value::Is::name ? Value::result(one.id) : one; });
  });
}

void PythonReader::evaluate_sequence(NodeId node) {
  bool known = false;
  each_child(node, [&](NodeId each) {
    const NodeId element = at(each).kind == Kind::pair ? child(each, Field::value) : each;
    known = known || value(element).known();
    if (at(each).kind == Kind::pair && value(element).known()) {
      const auto key = text(value(child(each, Field::key)));
      if (key) {
        const Word word = names_.word(names_.keep(*key));
        bind_member(word, value(element));
        report_class_member(each, word, value(element));
      }
    }
  });
  set(node, known ? Value{Value::Is::sequence, node} : Value());
}

// `a if b else c` has no names for its parts: the second is the condition.
void PythonReader::evaluate_conditional(NodeId node) {
  const NodeId first = at(node).first_child;
  const NodeId condition = first == kNoNode ? kNoNode : at(first).next;
  const NodeId other = condition == kNoNode ? kNoNode : at(condition).next;
  set(node, join(value(first), value(other)));
}

void PythonReader::evaluate_decorator(NodeId node) {
  const NodeId function = at(node).first_child;
  if (function == kNoNode || at(function).kind == Kind::call) {
    return;
  }
  consume(function);
  follow(function);
  each_possible(value(function), [&](Value each) {
    if (each.has_name()) {
      static_cast<void>(call_name(function, each.id, {}));
    }
  });
}

void PythonReader::evaluate_binary(NodeId node) {
  bool plus = false;
  each_child(node, [&](NodeId each) { plus = plus || at(each).kind == Kind::plus; });
  const NodeId left = child(node, Field::left);
  const NodeId right = child(node, Field::right);
  if (!plus || !value(left).known() || !value(right).known()) {
    return;
  }
  set(node, combine(value(left), [&](Value start) {
        return combine(value(right), [&](Value end) {
          const auto head = text(start);
          const auto tail = head ? text(end) : std::nullopt;
          return tail ? make_text(*head + *tail) : Value();
        });
      }));
}

void PythonReader::evaluate_subscript(NodeId node) {
  const NodeId container = child(node, Field::value);
  const NodeId key = child(node, Field::subscript);
  follow(container);
  set(node, combine(value(container), [&](Value each) { return item_of(node, each, key); }));
  touch(node);
}

Value PythonReader::item_of(NodeId node, Value container, NodeId key) {
  switch (container.is) {
    case Value::Is::name:
      return item_of_name(node, container.id, key);
    case Value::Is::result:
      return special(container.id) == PythonSpecial::own_namespace ? item_of_name(node, container.id, key) : container;
    case Value::Is::method:
      return Value::result(names_.parent(container.id));
    case Value::Is::literal:
    case Value::Is::text:
      if (text_of(key) == "::-1") {
        auto reversed = text(container);
        if (reversed) {
          std::reverse(reversed->begin(), reversed->end());
          return make_text(std::move(*reversed));
        }
      }
      return {};
    case Value::Is::sequence:
      return element_of(container);
    default:
      return {};
  }
}

// Of what maps names to things: a module's __dict__, sys.modules, globals().
Value PythonReader::item_of_name(NodeId node, NameId name, NodeId key) {
  const Word last = names_.last(name);
  const bool is_namespace = last == known_.namespace_word;
  // f.__globals__ is what globals() gives, whoever f is.
  const bool is_globals = last < known_.globals_words.size() && known_.globals_words[last];
  const PythonSpecial kind = is_globals ? PythonSpecial::own_namespace : special(name);
  if (!is_namespace && kind != PythonSpecial::modules && kind != PythonSpecial::builtins &&
      kind != PythonSpecial::own_namespace) {
    return Value::result(name);
  }
  return combine(value(key), [&](Value each) {
    const auto wanted = text(each);
    if (!wanted) {
      add_dynamic(node, name, "the name of what is taken from it is computed");
      return Value();
    }
    const std::string_view kept = names_.keep(*wanted);
    if (kind == PythonSpecial::modules) {
      return Value::name(names_.dotted(kept));
    }
    if (kind == PythonSpecial::own_namespace) {
      return look_up(names_.word(kept));
    }
    return member_of_name(is_namespace ? names_.parent(name) : name, names_.word(kept));
  });
}

// The text of a literal, if all of it is constant.
std::optional<std::string> PythonReader::decode_literal(NodeId node) {
  std::string result;
  std::vector<NodeId> parts = {node};
  if (at(node).kind == Kind::concatenated_string) {
    parts.clear();
    each_child(node, [&](NodeId each) { parts.push_back(each); });
  }
  for (const NodeId part : parts) {
    bool raw = false;
    bool constant = true;
    each_child(part, [&](NodeId each) {
      switch (at(each).kind) {
        case Kind::string_start:
          raw = text_of(each).find_first_of("rR") != std::string_view::npos;
          break;
        case Kind::string_content:
          result += raw ? std::string(text_of(each)) : unescape(text_of(each), UnknownEscape::keep_backslash);
          break;
        case Kind::escape_interpolation:
          result += text_of(each).front();
          break;
        case Kind::interpolation: {
          const auto inner = text(value(child(each, Field::expression)));
          bool formatted = false;
          each_child(each, [&](NodeId detail) { formatted = formatted || at(detail).kind == Kind::format_specifier; });
          constant = constant && inner && !formatted;
          result += inner.value_or(std::string());
          break;
        }
        default:
          break;
      }
    });
    if (!constant) {
      return std::nullopt;
    }
  }
  return result;
}

}  // namespace glovebox::policy

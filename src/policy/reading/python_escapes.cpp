// Values that leave what the reader follows.
//
// Names are followed through variables, not through calls, containers, attributes and results. For most names that is
// enough, since touching them is a fact. It is not for a function that finds others by their names (getattr,
// __import__, eval), for a whole namespace and for a module: where such a one is handed on, the text no longer tells
// what is used, and that is a `dynamic` fact.
#include <algorithm>

#include "policy/reading/python_reader.h"

namespace glovebox::policy {
namespace {

constexpr std::string_view kPythonHandedOn = "it is handed on, and what it is used for is not told";
constexpr std::string_view kWholeNamespace = "everything in it is taken at once";
constexpr std::string_view kPythonModule = "a module is handed on, and what is used of it is not told";

}  // namespace

bool PythonReader::takes_item(std::string_view method) {
  return method == "get" || method == "pop" || method == "setdefault" || method == "__getitem__";
}

// What maps a module's or a class's names to what they stand for. Of an object of which nothing is known it is none: it
// holds what the program put there.
bool PythonReader::is_namespace(NameId name) const {
  const Word last = names_.last(name);
  if (is_marked(known_.globals_words, last) || special(name) == PythonSpecial::modules) {
    return true;
  }
  const NameId owner = names_.parent(name);
  return last == known_.namespace_word && owner != 0 && owner != Names::kUnknown;
}

bool PythonReader::is_module(NameId name) const { return is_marked(modules_, name); }

void PythonReader::remember_module(NameId name) {
  for (; name != 0 && name != Names::kUnknown; name = names_.parent(name)) {
    if (name >= modules_.size()) {
      modules_.resize(name + 1);
    }
    modules_[name] = true;
  }
}

// Why nobody knows what is done with the value once it is handed on; empty: it does not matter.
std::string_view PythonReader::danger_of(Value value) const {
  if (!value.has_name()) {
    return {};
  }
  const PythonSpecial kind = special(value.id);
  if (value.is == Value::Is::result) {
    return kind == PythonSpecial::own_namespace ? kWholeNamespace
           : kind == PythonSpecial::formatter   ? kPythonHandedOn
                                                : std::string_view();
  }
  switch (kind) {
    case PythonSpecial::import_module:
    case PythonSpecial::import_top:
    case PythonSpecial::find_object:
    case PythonSpecial::run_statements:
    case PythonSpecial::run_unseen:
    case PythonSpecial::get_member:
    case PythonSpecial::set_member:
    case PythonSpecial::drop_member:
    case PythonSpecial::member_getter:
    case PythonSpecial::own_namespace:
    case PythonSpecial::formatter:
    case PythonSpecial::format_text:
    case PythonSpecial::format_field:
      return kPythonHandedOn;
    case PythonSpecial::run_code:
      // What compile() makes is run by others, who are told of themselves; its name is often used for other things.
      return value.id == known_.compile_name ? std::string_view() : kPythonHandedOn;
    case PythonSpecial::builtins:
    case PythonSpecial::own_module:
    case PythonSpecial::modules:
      return kWholeNamespace;
    default:
      break;
  }
  const std::string_view last = names_.text(names_.last(value.id));
  const NameId owner = names_.parent(value.id);
  if (last == "__getattribute__" || is_marked(known_.loading_words, names_.last(value.id)) ||
      (takes_item(last) && owner != 0 && (is_namespace(owner) || special(owner) == PythonSpecial::own_namespace))) {
    return kPythonHandedOn;
  }
  if (value.is != Value::Is::name) {
    return {};
  }
  return is_namespace(value.id) ? kWholeNamespace : is_module(value.id) ? kPythonModule : std::string_view();
}

void PythonReader::report_handed_on(NodeId node, Value value) {
  each_possible(value, [&](Value each) {
    if (const std::string_view danger = danger_of(each); !danger.empty()) {
      add_dynamic(node, each.id, std::string(danger));
    }
  });
}

// os.__dict__.items(): more than one name at a time.
void PythonReader::report_whole_namespace(NodeId node, Value object, std::string_view member) {
  if (takes_item(member) || member == "__contains__") {
    return;
  }
  each_possible(object, [&](Value each) {
    const bool is_whole = each.is == Value::Is::name
                              ? is_namespace(each.id)
                              : each.is == Value::Is::result && special(each.id) == PythonSpecial::own_namespace;
    if (is_whole) {
      add_dynamic(node, each.id, std::string(kWholeNamespace));
    }
  });
}

// Many modules carry others along: shutil.os is os, random._os is too, and so is json.decoder.re a module of its own.
std::optional<Word> PythonReader::inner_module(NameId parent, Word word) {
  const NameId owner = names_.parent(parent);
  const Word last = names_.last(parent);
  if (owner == 0 && last == word) {
    return std::nullopt;  // socket.socket is a class
  }
  const auto without_underscore = [&] { return names_.word(names_.text(word).substr(1)); };
  if (is_marked(known_.inner_modules, word)) {
    return names_.text(word).starts_with('_') ? without_underscore() : word;
  }
  const bool in_package = owner != 0 && names_.parent(owner) == 0 &&
                          is_marked(known_.package_words, names_.last(owner)) && names_.text(last).front() >= '_';
  if (!in_package && (owner != 0 || !is_marked(known_.library_words, last))) {
    return std::nullopt;
  }
  Word module = word;
  if (!is_marked(known_.module_words, word)) {
    if (!names_.text(word).starts_with('_')) {
      return std::nullopt;
    }
    module = without_underscore();
  }
  if (!is_marked(known_.module_words, module) || is_marked(known_.plain_members, names_.member(parent, word))) {
    return std::nullopt;
  }
  return module;
}

// To use a module that another one carries along is as good as importing it.
void PythonReader::report_inner_module(NodeId node, Value object, Word word) {
  each_possible(object, [&](Value each) {
    if (each.is != Value::Is::name) {
      return;
    }
    if (const auto module = inner_module(each.id, word)) {
      add_fact(FactKind::import, node, std::string(names_.text(*module)));
      remember_module(names_.root(*module));
    }
  });
}

bool PythonReader::is_dangerous(Value value) {
  bool dangerous = false;
  each_possible(value, [&](Value each) { dangerous = dangerous || !danger_of(each).empty(); });
  return dangerous;
}

// It goes into a variable: of a function or of the program, or of a class, whose variables others can get at.
void PythonReader::follow_kept(NodeId node) {
  follow(node);
  if (is_dangerous(value(node))) {
    kept_.push_back(node);
  }
}

// What goes into a variable is followed there, and so is each part of a tuple that goes into as many.
void PythonReader::follow_assigned(NodeId left, NodeId right) {
  if (left == kNoNode || right == kNoNode) {
    return;
  }
  if (at(left).kind == Kind::identifier) {
    follow_kept(right);
    return;
  }
  const auto is_list = [&](NodeId node) {
    return at(node).kind == Kind::expression_list || at(node).kind == Kind::tuple || at(node).kind == Kind::list;
  };
  if (!is_list(left) || !is_list(right)) {
    return;
  }
  NodeId target = at(left).first_child;
  NodeId given = at(right).first_child;
  for (; target != kNoNode && given != kNoNode; target = at(target).next, given = at(given).next) {
    if (at(target).kind != Kind::identifier || at(given).kind == Kind::list_splat) {
      return;
    }
    follow_kept(given);
  }
}

// `for x in (os, sys)` puts them into a variable, `for a.x in …` hands them to a.
void PythonReader::follow_looped(NodeId left, NodeId right) {
  if (left == kNoNode || right == kNoNode || at(left).kind != Kind::identifier) {
    return;
  }
  switch (at(right).kind) {
    case Kind::expression_list:
    case Kind::list:
    case Kind::set:
    case Kind::tuple:
      each_child(right, [&](NodeId each) { follow_kept(each); });
      break;
    default:
      break;
  }
}

// A variable of a class's body is an attribute of the class, which others can get at.
void PythonReader::report_kept_by_class(NodeId node) {
  while (!kept_.empty() && at(kept_.back()).start >= at(node).start) {
    report_handed_on(kept_.back(), value(kept_.back()));
    kept_.pop_back();
  }
}

void PythonReader::forget_kept_by_function(NodeId node) {
  while (!kept_.empty() && at(kept_.back()).start >= at(node).start) {
    kept_.pop_back();
  }
}

// Numbers, strings and what is made of nothing else: no method of the program's own is asked when it is compared.
bool PythonReader::is_plain(NodeId node) const {
  std::vector<NodeId> todo = {node};
  while (!todo.empty()) {
    const NodeId each = todo.back();
    todo.pop_back();
    switch (at(each).kind) {
      case Kind::concatenated_string:
      case Kind::integer:
      case Kind::minus:
      case Kind::plus:
      case Kind::string:
        break;
      case Kind::dictionary:
      case Kind::list:
      case Kind::pair:
      case Kind::parenthesized_expression:
      case Kind::set:
      case Kind::tuple:
      case Kind::unary_operator:
        each_child(each, [&](NodeId part) { todo.push_back(part); });
        break;
      default: {
        const std::string_view text = text_of(each);
        const bool is_number = !text.empty() && ((text.front() >= '0' && text.front() <= '9') || text.front() == '.');
        if (at(each).kind != Kind::other || at(each).first_child != kNoNode ||
            !(is_number || text == "None" || text == "True" || text == "False")) {
          return false;
        }
        break;
      }
    }
  }
  return true;
}

namespace {

// What stands between two operands: blanks and comments first, then the operator.
std::string_view operator_of(std::string_view between) {
  while (!between.empty()) {
    if (between.front() == '#') {
      between.remove_prefix(std::min(between.find_first_of("\r\n"), between.size()));
    } else if (std::string_view(" \t\r\n\f\\").find(between.front()) != std::string_view::npos) {
      between.remove_prefix(1);
    } else {
      break;
    }
  }
  return between.substr(0, 2);
}

}  // namespace

// To compare is to ask: a class of the program's own keeps what its objects are compared with, if it likes. Nobody is
// asked by `is`, and a namespace that is looked into is asked for words alone.
void PythonReader::evaluate_comparison(NodeId node) {
  bool known = false;
  each_child(node, [&](NodeId each) { known = known || value(each).known(); });
  if (!known) {
    return;
  }
  bool safe_before = true;
  for (NodeId each = at(node).first_child; each != kNoNode; each = at(each).next) {
    const NodeId next = at(each).next;
    const std::string_view asked =
        next == kNoNode ? "is" : operator_of(source_text().substr(at(each).end, at(next).start - at(each).end));
    if (safe_before && (asked == "is" || is_plain(next))) {
      follow(each);
      follow_elements(each);
    }
    bool is_whole = asked == "in" || asked == "no";
    each_possible(value(next), [&](Value one) { is_whole = is_whole && danger_of(one) == kWholeNamespace; });
    safe_before = asked == "is" || is_whole || is_plain(each);
  }
}

// A class of Python's own or of a module: it does not keep what it is asked about.
bool PythonReader::is_known_class(Value value) const {
  if (value.is != Value::Is::name) {
    return false;
  }
  NameId root = value.id;
  while (names_.parent(root) != 0) {
    root = names_.parent(root);
  }
  const Word word = names_.last(root);
  return is_marked(known_.builtin_words, word) || is_marked(known_.module_words, word);
}

bool PythonReader::are_known_classes(NodeId node) const {
  bool known = node != kNoNode;
  if (known && (at(node).kind == Kind::tuple || at(node).kind == Kind::binary_operator)) {
    each_child(node, [&](NodeId each) { known = known && (is_known_class(value(each)) || is_plain(each)); });
    return known;
  }
  return known && is_known_class(value(node));
}

// The error of a member that is not there carries along what was asked for it. No function of these has members but
// those that every function has.
void PythonReader::report_failing_member(NodeId node, Value object, Word word) {
  const std::string_view text = names_.text(word);
  if (text.starts_with("__") && text.ends_with("__")) {
    return;
  }
  each_possible(object, [&](Value each) {
    if (!each.has_name()) {
      return;
    }
    if (each.is == Value::Is::result && word == known_.object_word &&
        is_marked(known_.failure_words, names_.last(each.id))) {
      add_dynamic(node, names_.member(each.id, word), "what it is depends on what failed");
    }
    const PythonSpecial kind = special(each.id);
    const bool is_function =
        kind == PythonSpecial::get_member || kind == PythonSpecial::member_getter ||
        kind == PythonSpecial::import_module || kind == PythonSpecial::import_top ||
        (names_.parent(each.id) == 0 &&
         (kind == PythonSpecial::run_code || kind == PythonSpecial::run_unseen || kind == PythonSpecial::set_member ||
          kind == PythonSpecial::drop_member || kind == PythonSpecial::own_namespace));
    if (each.is == Value::Is::name && is_function && each.id != known_.compile_name) {
      add_dynamic(node, each.id, "it has no such member, and the error holds it");
    }
  });
}

}  // namespace glovebox::policy

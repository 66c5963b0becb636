// Values that leave what the reader follows: see python_escapes.cpp.
#include <algorithm>
#include <array>

#include "policy/reading/escapes.h"
#include "policy/reading/javascript_reader.h"

namespace glovebox::policy {
namespace {

constexpr std::string_view kJavaScriptHandedOn = "it is handed on, and what it is used for is not told";
constexpr std::string_view kJavaScriptModule = "a module is handed on, and what is used of it is not told";

// Modules of Node that are objects with functions, as opposed to those that are a class or a function themselves.
constexpr std::array<std::string_view, 18> kPowerfulModules = {
    "child_process", "cluster", "dgram", "dns", "fs",   "fs/promises", "http", "http2", "https",
    "inspector",     "module",  "net",   "os",  "repl", "tls",         "v8",   "vm",    "worker_threads"};

}  // namespace

// Why nobody knows what is done with the value once it is handed on; empty: it does not matter.
std::string_view JavascriptReader::danger_of(Value value) const {
  if (!value.has_name()) {
    return {};
  }
  const JavascriptSpecial kind = special(value.id);
  if (value.is == Value::Is::result) {
    return kind == JavascriptSpecial::make_importer || kind == JavascriptSpecial::prototype_of ? kJavaScriptHandedOn
                                                                                               : std::string_view();
  }
  switch (kind) {
    case JavascriptSpecial::import_module:
    case JavascriptSpecial::make_importer:
    case JavascriptSpecial::run_code:
    case JavascriptSpecial::make_function:
    case JavascriptSpecial::get_member:
    case JavascriptSpecial::global_object:
    case JavascriptSpecial::prototype_of:
      return kJavaScriptHandedOn;
    default:
      break;
  }
  if (names_.last(value.id) == known_.constructor_word || names_.last(value.id) == known_.proto_word ||
      is_importing(names_.last(value.id)) || value.id == known_.process_name || value.id == known_.module_name) {
    return kJavaScriptHandedOn;
  }
  const bool is_module = value.is == Value::Is::name && value.id < modules_.size() && modules_[value.id];
  return is_module ? kJavaScriptModule : std::string_view();
}

void JavascriptReader::report_handed_on(NodeId node, Value value) {
  each_possible(value, [&](Value each) {
    if (const std::string_view danger = danger_of(each); !danger.empty()) {
      add_dynamic(node, names_.to_string(each.id), std::string(danger));
    }
    if (each == Value::name(known_.console_name)) {
      report_console();
    }
  });
}

bool JavascriptReader::is_dangerous(Value value) {
  bool dangerous = false;
  each_possible(value, [&](Value each) { dangerous = dangerous || !danger_of(each).empty(); });
  return dangerous;
}

// Of whatever object it is: a function's has the constructor of functions.
bool JavascriptReader::is_prototype(Value value) const {
  return (value.is == Value::Is::result && special(value.id) == JavascriptSpecial::prototype_of) ||
         (value.has_name() && names_.last(value.id) == known_.proto_word);
}

// Whoever may have changed the console gets what it is given.
void JavascriptReader::report_console() {
  for (const NodeId each : std::exchange(console_arguments_, {})) {
    report_handed_on(each, value(each));
  }
}

void JavascriptReader::remember_module(NameId name) {
  const std::string_view module = names_.text(names_.last(name));
  if (std::find(kPowerfulModules.begin(), kPowerfulModules.end(), module) == kPowerfulModules.end()) {
    return;
  }
  if (name >= modules_.size()) {
    modules_.resize(name + 1);
  }
  modules_[name] = true;
}

// What goes into a variable is followed there, and so are the members that a pattern takes out of it.
void JavascriptReader::follow_assigned(NodeId left, NodeId right) {
  if (left == kNoNode || right == kNoNode) {
    return;
  }
  switch (at(left).kind) {
    case Kind::object_pattern:
      each_child(left, [&](NodeId each) {
        const NodeId key = child(each, Field::key);
        if (key != kNoNode && at(key).kind == Kind::computed_property_name && !property_name(key) &&
            is_function(without_parentheses(right))) {
          add_dynamic(key, "Function[]", "the name of the member is computed");
        }
      });
      follow(right);
      break;
    case Kind::identifier:
      follow(right);
      break;
    case Kind::array_pattern: {
      bool takes_rest = false;
      each_child(left, [&](NodeId each) { takes_rest = takes_rest || at(each).kind == Kind::rest_pattern; });
      if (!takes_rest) {
        follow_elements(right);
      }
      break;
    }
    default:
      break;
  }
}

// A module's own `function process() {}` stands for that word in all of the module. One further in does not.
void JavascriptReader::begin_round() {
  unowned_arguments_.clear();
  console_arguments_.clear();
  if (is_inner() || root() == kNoNode || !shadowed_.empty()) {
    return;
  }
  const auto shadow = [&](NodeId name) {
    if (name != kNoNode && at(name).kind == Kind::identifier) {
      shadowed_.push_back(word_of(name));
    }
  };
  each_child(root(), [&](NodeId each) {
    shadow(child(each, Field::name));
    if (at(each).kind == Kind::lexical_declaration || at(each).kind == Kind::variable_declaration) {
      each_child(each, [&](NodeId declarator) { shadow(child(declarator, Field::name)); });
    }
  });
}

bool JavascriptReader::is_shadowed(Word word) const {
  return !is_inner() && std::find(shadowed_.begin(), shadowed_.end(), word) != shadowed_.end();
}

// Outside of all functions, `arguments` are those of the function that Node wraps around a module: require is among
// them.
void JavascriptReader::own_arguments(NodeId function) {
  while (!unowned_arguments_.empty() && at(unowned_arguments_.back()).start >= at(function).start) {
    unowned_arguments_.pop_back();
  }
}

void JavascriptReader::report_unowned_arguments() {
  for (const NodeId each : unowned_arguments_) {
    add_dynamic(each, "arguments", "those of the module itself, with require among them");
  }
  unowned_arguments_.clear();
}

// `requir\u0065` is require.
std::string_view JavascriptReader::name_of(NodeId node) {
  const std::string_view text = text_of(node);
  return text.find('\\') == std::string_view::npos ? text : names_.keep(unescape(text, UnknownEscape::drop_backslash));
}

}  // namespace glovebox::policy

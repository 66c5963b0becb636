// `this` of a function that is called by itself is the global object, unless the program is strict.
//
// A function that is called by its name, where it stands, or by whomever it is passed to may be called so. What methods
// and constructors do with `this` is their own affair, and so are its members but for the global object's powerful
// ones.
#include <algorithm>

#include "policy/reading/javascript_reader.h"

namespace glovebox::policy {

NodeId JavascriptReader::without_parentheses(NodeId node) const {
  while (node != kNoNode && at(node).kind == Kind::parenthesized_expression) {
    node = at(node).first_child;
  }
  return node;
}

bool JavascriptReader::is_function(NodeId node) const {
  switch (at(node).kind) {
    case Kind::arrow_function:
    case Kind::class_expression:
    case Kind::function_expression:
    case Kind::generator_function:
      return true;
    default:
      return false;
  }
}

// Before anything is evaluated, from the leaves up.
void JavascriptReader::note_this(NodeId node) {
  if (node == 1) {
    this_uses_.clear();
    owned_this_.clear();
    named_functions_.clear();
    called_functions_.clear();
    called_words_.clear();
  }
  switch (at(node).kind) {
    case Kind::this_keyword:
      this_uses_.push_back({node, kNoNode, true});
      break;
    case Kind::member_expression:
      if (const NodeId object = child(node, Field::object);
          object != kNoNode && at(object).kind == Kind::this_keyword) {
        const Word word = word_of(child(node, Field::property));
        if (word >= known_.own_words.size() || !known_.own_words[word]) {
          note_this_only_looked_at(object);
        }
      }
      break;
    case Kind::call_expression:
      note_called(node);
      break;
    case Kind::function_declaration:
      note_named(child(node, Field::name), node);
      [[fallthrough]];
    case Kind::function_expression:
    case Kind::generator_function:
    case Kind::generator_function_declaration:
      own_this(node, true);
      break;
    case Kind::class_body:
    case Kind::method_definition:
      own_this(node, false);
      break;
    case Kind::variable_declarator:
      note_named(child(node, Field::name), child(node, Field::value));
      break;
    case Kind::assignment_expression:
      note_named(child(node, Field::left), child(node, Field::right));
      break;
    default:
      break;
  }
}

void JavascriptReader::note_called(NodeId call) {
  const NodeId function = without_parentheses(child(call, Field::function));
  const Arguments arguments = arguments_of(call);
  switch (at(function).kind) {
    case Kind::identifier:
      called_words_.push_back(word_of(function));
      break;
    case Kind::member_expression: {  // f.call(this, …)
      const NodeId property = child(function, Field::property);
      const std::string_view method = property == kNoNode ? std::string_view() : text_of(property);
      if ((method == "call" || method == "apply" || method == "bind") && !arguments.empty()) {
        note_this_only_looked_at(arguments.front());
      }
      break;
    }
    default:
      called_functions_.push_back(function);
      break;
  }
  for (const NodeId each : arguments) {
    if (is_function(each)) {
      called_functions_.push_back(each);
    }
  }
}

void JavascriptReader::note_this_only_looked_at(NodeId node) {
  for (auto use = this_uses_.rbegin(); use != this_uses_.rend() && at(use->node).start >= at(node).start; ++use) {
    use->as_value = use->as_value && use->node != node;
  }
}

void JavascriptReader::own_this(NodeId function, bool is_sloppy) {
  while (!this_uses_.empty() && at(this_uses_.back().node).start >= at(function).start) {
    if (is_sloppy && this_uses_.back().as_value) {
      owned_this_.push_back({this_uses_.back().node, function, true});
    }
    this_uses_.pop_back();
  }
}

void JavascriptReader::note_named(NodeId name, NodeId function) {
  if (name != kNoNode && function != kNoNode && at(name).kind == Kind::identifier &&
      (is_function(function) || at(function).kind == Kind::function_declaration)) {
    named_functions_.push_back({word_of(name), function});
  }
}

bool JavascriptReader::is_strict() const {
  const NodeId first = root() == kNoNode ? kNoNode : at(root()).first_child;
  bool strict = first != kNoNode && at(first).kind == Kind::expression_statement &&
                (text_of(first).starts_with("\"use strict\"") || text_of(first).starts_with("'use strict'"));
  if (first != kNoNode) {
    each_child(root(), [&](NodeId each) {
      strict = strict || at(each).kind == Kind::import_statement || at(each).kind == Kind::export_statement;
    });
  }
  return strict;
}

void JavascriptReader::report_this() {
  if (owned_this_.empty() || is_strict()) {
    return;
  }
  std::sort(called_words_.begin(), called_words_.end());
  for (const NamedFunction& each : named_functions_) {
    if (std::binary_search(called_words_.begin(), called_words_.end(), each.name)) {
      called_functions_.push_back(each.function);
    }
  }
  named_functions_.clear();
  std::sort(called_functions_.begin(), called_functions_.end());
  for (const ThisUse& each : owned_this_) {
    if (std::binary_search(called_functions_.begin(), called_functions_.end(), each.function)) {
      add_dynamic(each.node, "this", "the global object, where a function is called by itself");
    }
  }
}

}  // namespace glovebox::policy

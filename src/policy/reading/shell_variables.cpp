// What a script sets: variables, functions, and what makes both of them uncertain.
#include <algorithm>
#include <array>

#include "policy/reading/shell_reader.h"

namespace glovebox::policy {
namespace {

// Builtins that set the variables that they are given the names of.
constexpr std::array<std::string_view, 12> kSetters = {"declare",  "export",  "getopts", "let",
                                                       "local",    "mapfile", "read",    "readarray",
                                                       "readonly", "typeset", "unset",   "wait"};

// Variables by which a shell or a loader is told what to run.
constexpr std::array<std::string_view, 14> kLoaders = {
    "BASHOPTS",       "BASH_ENV",     "ENV",        "LD_AUDIT", "LD_LIBRARY_PATH",
    "LD_PRELOAD",     "NODE_OPTIONS", "NODE_PATH",  "PERL5LIB", "PERL5OPT",
    "PROMPT_COMMAND", "PS4",          "PYTHONPATH", "SHELLOPTS"};

bool is_name_letter(char each) {
  return each == '_' || (each >= '0' && each <= '9') || (each >= 'A' && each <= 'Z') || (each >= 'a' && each <= 'z');
}

// "c=curl", "c[0]", "c+=x" → c
std::string_view leading_name(std::string_view word) {
  const auto* const end = std::find_if_not(word.begin(), word.end(), is_name_letter);
  return word.substr(0, static_cast<std::size_t>(end - word.begin()));
}

bool may_assign(std::string_view program) {
  return program.find('=') != std::string_view::npos || program.find("printf") != std::string_view::npos ||
         program.find("source") != std::string_view::npos || program.find(". ") != std::string_view::npos ||
         std::any_of(kSetters.begin(), kSetters.end(),
                     [&](std::string_view each) { return program.find(each) != std::string_view::npos; });
}

// declare -n other=c: whoever sets one sets the other.
bool makes_reference(std::string_view option) {
  return option.starts_with('-') && !option.starts_with("--") && option.find('n') != std::string_view::npos;
}

// What ends a definition's line: behind an ampersand it was made in another process.
bool is_in_background(std::string_view text, std::size_t end) {
  const std::size_t next = text.find_first_not_of(" \t", end);
  return next < text.size() && text[next] == '&' && text.substr(next, 2) != "&&";
}

}  // namespace

void ShellReader::open_variable(std::string_view name) {
  if (!name.empty()) {
    variables_[std::string(name)].open = true;
  }
}

void ShellReader::learn_functions() {
  functions_.clear();
  if (source_.inside || source_.tree->root == kNoNode) {
    return;  // another shell may run it, which knows none of them
  }
  for (NodeId each = at(source_.tree->root).first_child; each != kNoNode; each = at(each).next) {
    const NodeId name = source_.tree->child(each, Field::name);
    if (at(each).kind == Kind::function_definition && name != kNoNode &&
        !is_in_background(source_.text, at(each).end)) {
      functions_.emplace(text_of(name), at(each).end);
    }
  }
}

// Only what a definition before it, in the same straight line, has made a function for certain.
bool ShellReader::is_function(std::string_view name, NodeId call) const {
  const auto found = functions_.find(name);
  return found != functions_.end() && found->second <= at(call).start;
}

void ShellReader::learn_assignment(NodeId node) {
  const NodeId name = source_.tree->child(node, Field::name);
  const NodeId value = source_.tree->child(node, Field::value);
  const std::string_view variable = leading_name(text_of(name));
  splits_otherwise_ = splits_otherwise_ || variable == "IFS";
  Texts& known = variables_[std::string(variable)];
  const Texts set = value == kNoNode ? Texts{{""}, false} : texts_of(value);
  for (const std::string& each : set.known) {
    if (std::find(known.known.begin(), known.known.end(), each) == known.known.end()) {
      known.known.push_back(each);
    }
  }
  // += adds to what was there, an index names one of several, and too many are as good as unknown.
  const bool adds = value != kNoNode && text_of(node).substr(text_of(name).size()).starts_with("+=");
  const bool has_index = variable.size() < text_of(name).size();
  known.open = known.open || set.open || adds || has_index || known.known.size() > kMaxTexts;
  known.known.resize(std::min(known.known.size(), kMaxTexts));
}

void ShellReader::learn_loop(NodeId node) {
  const NodeId variable = source_.tree->child(node, Field::variable);
  if (variable == kNoNode) {
    return;
  }
  Texts& known = variables_[std::string(text_of(variable))];
  bool has_values = false;
  for (NodeId each = at(node).first_child; each != kNoNode; each = at(each).next) {
    if (at(each).field == Field::value) {
      has_values = true;
      const Texts item = texts_of(each);
      known.open = known.open || item.open || known.known.size() + item.known.size() > kMaxTexts;
      if (!known.open) {
        known.known.insert(known.known.end(), item.known.begin(), item.known.end());
      }
    }
  }
  known.open = known.open || !has_values;  // over the script's arguments
}

// declare "c=curl": what is set is an argument like any other.
void ShellReader::learn_declaration(NodeId node) {
  for (NodeId each = at(node).first_child; each != kNoNode; each = at(each).next) {
    const bool only_names = at(each).kind == Kind::variable_name && at(node).kind == Kind::declaration_command;
    if (at(each).kind == Kind::variable_assignment || only_names) {
      continue;
    }
    const Texts texts = texts_of(each);
    all_open_ = all_open_ || texts.open;
    for (const std::string& text : texts.known) {
      learn_set_word(text);
      all_open_ = all_open_ || makes_reference(text);
    }
  }
}

void ShellReader::learn_set_word(std::string_view word) {
  if (!word.starts_with('-')) {
    open_variable(leading_name(word));
    functions_.erase(std::string(leading_name(word)));
  }
}

// Builtins that set variables, and programs in strings that may do so.
void ShellReader::learn_command(NodeId node) {
  std::vector<std::optional<std::string>> all;
  std::size_t bytes = 0;
  for (NodeId each = at(node).first_child; each != kNoNode; each = at(each).next) {
    const Kind kind = at(each).kind;
    if (kind == Kind::variable_assignment || kind == Kind::file_redirect || kind == Kind::heredoc_redirect ||
        kind == Kind::herestring_redirect) {
      continue;
    }
    const Texts texts = texts_of(each);
    const bool single = !texts.open && texts.known.size() == 1 && bytes <= kMaxCommandBytes;
    bytes += single ? texts.known.front().size() : 0;
    all.push_back(single ? std::optional(texts.known.front()) : std::nullopt);
  }
  std::span<const std::optional<std::string>> words = all;
  while (!words.empty() && words.front() && (*words.front() == "builtin" || *words.front() == "command")) {
    words = words.subspan(1);
  }
  if (words.empty() || !words.front()) {
    return;
  }
  const std::string name = *words.front();
  if (name == "source" || name == ".") {
    all_open_ = true;
    return;
  }
  if (name == "eval" || name == "trap") {
    all_open_ = all_open_ || std::any_of(words.begin() + 1, words.end(),
                                         [](const auto& word) { return !word || may_assign(*word); });
    return;
  }
  const bool sets = std::find(kSetters.begin(), kSetters.end(), name) != kSetters.end();
  const bool prints = name == "printf" && words.size() > 1 && (!words[1] || words[1]->starts_with("-v"));
  if (!sets && !prints) {
    return;
  }
  const bool declares = name == "declare" || name == "typeset" || name == "local";
  for (const std::string_view usual : {"REPLY", "MAPFILE", "OPTARG"}) {
    open_variable(usual);
  }
  for (std::size_t index = 1; index < words.size(); ++index) {
    if (!words[index]) {
      all_open_ = true;
    } else if (prints && words[index]->starts_with("-v")) {
      open_variable(leading_name(words[index]->substr(2)));
    } else {
      learn_set_word(*words[index]);
      all_open_ = all_open_ || (declares && makes_reference(*words[index]));
    }
  }
}

// ${c:=curl}
void ShellReader::learn_expansion(NodeId node) {
  const NodeId name = at(node).first_child;
  if (name != kNoNode && text_of(node).find('=') != std::string_view::npos) {
    open_variable(leading_name(text_of(name)));
  }
}

// Assignments that change what other words of the script stand for.
void ShellReader::report_loader(NodeId node, std::string_view assignment) {
  const std::string_view name = leading_name(assignment);
  const bool is_loader = std::find(kLoaders.begin(), kLoaders.end(), name) != kLoaders.end();
  if (is_loader || (name == "PATH" && !is_usual_path(assignment.substr(name.size())))) {
    add_fact(FactKind::dynamic, node, std::string(name), "it decides which code is loaded");
  }
}

}  // namespace glovebox::policy

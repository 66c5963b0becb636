#include "policy/reading/shell_reader.h"

#include <algorithm>

#include "policy/reading/escapes.h"

namespace glovebox::policy {
namespace {

constexpr std::size_t kMaxShellTextBytes = std::size_t{1} << 16U;
constexpr std::size_t kMaxParts = 1'000;  // of one word
constexpr NodeId kShellNodesPerLook = 512;
constexpr int kLearningRounds = 2;  // a variable may be set from others

// Outside of quotes a backslash only takes the next character's meaning away.
std::string without_backslashes(std::string_view word) {
  std::string result;
  for (std::size_t at = 0; at < word.size(); ++at) {
    if (word[at] == '\\' && at + 1 < word.size()) {
      ++at;
      if (word[at] == '\n') {
        continue;
      }
    }
    result += word[at];
  }
  return result;
}

// A path that goes on behind a device's name, or may do so with what is put in there.
bool is_below(std::string_view path, std::string_view device) {
  return path.starts_with(device) && (path.size() == device.size() || path[device.size()] == '/' ||
                                      path[device.size()] == '$' || path[device.size()] == '"');
}

bool is_pattern(std::string_view word) { return word.find_first_of("*?[") != std::string_view::npos; }

// {a,b}: the shell makes a word of each part. An empty pair stays as it is.
bool has_braces(std::string_view word) {
  for (std::size_t at = word.find('{'); at < word.size(); at = word.find('{', at + 1)) {
    if (word.substr(at, 2) != "{}") {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string_view ShellReader::text_of(NodeId node) const {
  return source_.text.substr(at(node).start, at(node).end - at(node).start);
}

bool ShellReader::look_at_clock(NodeId node) {
  out_of_time_ = out_of_time_ || (node % kShellNodesPerLook == 0 && Clock::now() > deadline_);
  return !out_of_time_;
}

bool ShellReader::is_in_time() {
  out_of_time_ = out_of_time_ || Clock::now() > deadline_;
  return !out_of_time_;
}

void ShellReader::read(const Source& source) {
  source_ = source;
  inputs_.clear();
  learn_functions();
  const auto count = static_cast<NodeId>(source.tree->nodes.size());
  for (int round = 0; round < kLearningRounds; ++round) {
    for (NodeId node = 1; node < count && look_at_clock(node); ++node) {
      learn(node);
    }
  }
  for (NodeId node = 1; node < count && look_at_clock(node); ++node) {
    if (at(node).kind == Kind::command) {
      read_command(node);
    } else if (at(node).kind == Kind::file_redirect) {
      read_redirect(node);
    } else if (at(node).kind == Kind::variable_assignment) {
      report_loader(node, text_of(node));
    }
  }
}

// What the script sets: variables, the input of commands.
void ShellReader::learn(NodeId node) {
  switch (at(node).kind) {
    case Kind::variable_assignment:
      learn_assignment(node);
      break;
    case Kind::for_statement:
      learn_loop(node);
      break;
    case Kind::declaration_command:
    case Kind::unset_command:
      learn_declaration(node);
      break;
    case Kind::command:
      learn_command(node);
      break;
    case Kind::expansion:
      learn_expansion(node);
      break;
    case Kind::redirected_statement: {
      const NodeId body = source_.tree->child(node, Field::body);
      for (NodeId each = at(node).first_child; body != kNoNode && each != kNoNode; each = at(each).next) {
        if (at(each).kind == Kind::heredoc_redirect || at(each).kind == Kind::herestring_redirect) {
          inputs_[body] = each;
        }
      }
      break;
    }
    default:
      break;
  }
}

ShellReader::Texts ShellReader::texts_of_leaf(NodeId node) const {
  const std::string_view text = text_of(node);
  switch (at(node).kind) {
    case Kind::word:
    case Kind::number:
    case Kind::variable_name:
      return is_pattern(text) ? Texts{{}, true} : Texts{{without_backslashes(text)}, false};
    case Kind::raw_string:
      return text.size() < 2 ? Texts{{}, true} : Texts{{std::string(text.substr(1, text.size() - 2))}, false};
    case Kind::ansi_c_string:
      return text.size() < 3 ? Texts{{}, true}
                             : Texts{{unescape(text.substr(2, text.size() - 3), UnknownEscape::keep_backslash)}, false};
    case Kind::string_content:
      return {{without_backslashes(text)}, false};
    case Kind::simple_expansion:
    case Kind::expansion: {
      const NodeId name = at(node).first_child;
      const bool plain = name != kNoNode && at(name).kind == Kind::variable_name &&
                         (at(node).kind == Kind::simple_expansion || text.size() == text_of(name).size() + 3);
      const auto found = plain ? variables_.find(text_of(name)) : variables_.end();
      if (found == variables_.end()) {
        return {{}, true};
      }
      return {found->second.known, found->second.open || all_open_};
    }
    default:
      return {{}, true};
  }
}

void ShellReader::append(Texts& head, const Texts& tail) const {
  if (tail.known.size() == 1) {
    const std::string& end = tail.known.front();
    std::erase_if(head.known, [&](const std::string& start) { return start.size() + end.size() > kMaxShellTextBytes; });
    for (std::string& start : head.known) {
      start += end;
    }
    head.open = head.open || tail.open;
    return;
  }
  Texts result;
  result.open = head.open || tail.open || head.known.size() * tail.known.size() > kMaxTexts;
  for (const std::string& start : head.known) {
    for (const std::string& end : tail.known) {
      if (result.known.size() < kMaxTexts && start.size() + end.size() <= kMaxShellTextBytes) {
        result.known.push_back(start + end);
      }
    }
  }
  head = std::move(result);
}

// Words are at most a concatenation of strings of leaves; what nests deeper is not constant.
ShellReader::Texts ShellReader::texts_of(NodeId node) const {
  Texts result{{""}, false};
  std::string unquoted;
  std::size_t parts = 0;
  const auto add_leaf = [&](NodeId leaf) {
    if (++parts <= kMaxParts) {
      append(result, texts_of_leaf(leaf));
    } else {
      result = {{}, true};
    }
  };
  const auto add_string = [&](NodeId string) {
    for (NodeId each = at(string).first_child; each != kNoNode; each = at(each).next) {
      add_leaf(each);
    }
  };
  switch (at(node).kind) {
    case Kind::command_name:
      return at(node).first_child == kNoNode ? Texts{{}, true} : texts_of(at(node).first_child);
    case Kind::word:
      result = texts_of_leaf(node);
      result.open = result.open || has_braces(text_of(node));
      return result;
    case Kind::string:
      add_string(node);
      return result;
    case Kind::concatenation:
      for (NodeId each = at(node).first_child; each != kNoNode; each = at(each).next) {
        if (at(each).kind == Kind::string) {
          add_string(each);
        } else {
          add_leaf(each);
        }
        unquoted += at(each).kind == Kind::word ? text_of(each) : std::string_view("_");
      }
      result.open = result.open || has_braces(unquoted);
      return result;
    default:
      return texts_of_leaf(node);
  }
}

void ShellReader::read_command(NodeId node) {
  const auto known_input = inputs_.find(node);
  NodeId input = known_input == inputs_.end() ? kNoNode : known_input->second;
  NodeId name = kNoNode;
  std::size_t bytes = 0;
  std::vector<ShellWord> words;
  for (NodeId each = at(node).first_child; each != kNoNode; each = at(each).next) {
    if (at(each).kind == Kind::command_name) {
      name = at(each).first_child == kNoNode ? each : at(each).first_child;
    } else if (at(each).kind == Kind::herestring_redirect) {
      input = each;
    } else if (name != kNoNode && at(each).kind != Kind::file_redirect && at(each).kind != Kind::heredoc_redirect) {
      // The grammar takes a line's end before a backslash for a part of the word that follows.
      if (text_of(each).starts_with('\n') || text_of(each).starts_with("\r\n")) {
        run_named(name, words, kNoNode);
        name = each;
        words.clear();
        continue;
      }
      const Texts texts = texts_of(each);
      // One long variable may stand in many words, and then the line is longer than the system takes.
      const bool single = !texts.open && texts.known.size() == 1 && bytes <= kMaxCommandBytes;
      bytes += single ? texts.known.front().size() : 0;
      words.push_back({single ? std::optional(texts.known.front()) : std::nullopt, each});
    }
  }
  if (name != kNoNode) {
    run_named(name, words, input);
  }
}

// A command, for each that its name may be.
void ShellReader::run_named(NodeId name, Words rest, NodeId input) {
  const Texts names = texts_of(name);
  const bool is_split_otherwise =
      splits_otherwise_ && (at(name).kind == Kind::simple_expansion || at(name).kind == Kind::expansion ||
                            at(name).kind == Kind::concatenation);
  if (names.open || is_split_otherwise) {
    add_fact(FactKind::dynamic, name, std::string(text_of(name)), "the command is computed");
  }
  const bool quoted = at(name).kind == Kind::string || at(name).kind == Kind::raw_string;
  constexpr std::string_view kBlanks = " \t\r\n";
  for (const std::string& each : names.known) {
    std::vector<ShellWord> words;
    std::string_view left = each;
    // The shell splits what comes out of a variable.
    for (std::size_t start = left.find_first_not_of(kBlanks); !quoted && start < left.size();
         start = left.find_first_not_of(kBlanks)) {
      left.remove_prefix(start);
      const std::size_t end = std::min(left.find_first_of(kBlanks), left.size());
      words.push_back({std::string(left.substr(0, end)), name});
      left.remove_prefix(end);
    }
    if (quoted && !each.empty()) {
      words.push_back({each, name});
    }
    words.insert(words.end(), rest.begin(), rest.end());
    run(words, input);
  }
}

// bash makes connections of files that do not exist: > /dev/tcp/host/port.
void ShellReader::read_redirect(NodeId node) {
  for (NodeId each = at(node).first_child; each != kNoNode; each = at(each).next) {
    if (at(each).field != Field::destination) {
      continue;
    }
    std::vector<std::string> paths = texts_of(each).known;
    paths.emplace_back(text_of(each));
    for (const std::string& path : paths) {
      const std::string_view bare = std::string_view(path).substr(path.starts_with('"') ? 1 : 0);
      for (const std::string_view device : {"/dev/tcp", "/dev/udp"}) {
        if (is_below(bare, device)) {
          add_fact(FactKind::attribute, each, std::string(device), std::string(text_of(each)));
        }
      }
    }
  }
}

Span ShellReader::span_of(NodeId node) const {
  if (source_.inside) {
    return *source_.inside;
  }
  const std::size_t blanks = std::min(text_of(node).find_first_not_of("\r\n"), text_of(node).size());
  return {at(node).start + static_cast<std::uint32_t>(blanks), at(node).end};
}

void ShellReader::add_fact(FactKind kind, NodeId node, std::string name, std::string detail) {
  facts_.add(kind, span_of(node), std::move(name), std::move(detail));
}

void ShellReader::add_inner(std::string text, NodeId node, std::string run_by) {
  if (inner_.size() < kMaxInnerPrograms) {
    inner_.push_back({std::move(text), span_of(node), std::move(run_by)});
  } else {
    add_fact(FactKind::dynamic, node, std::move(run_by), "more programs in strings than are read");
  }
}

}  // namespace glovebox::policy

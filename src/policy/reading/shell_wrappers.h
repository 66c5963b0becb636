// Commands that run the command in their arguments: which of their words are options, which operands, and where that
// command begins.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/reading/syntax_tree.h"

namespace glovebox::policy {

// A word of a command line; nothing in the place of a text that is not constant.
struct ShellWord {
  std::optional<std::string> text;
  NodeId node = kNoNode;
};

struct Wrapper {
  std::string_view name;
  std::string_view flags;     // options of one letter that stand alone
  std::string_view valued;    // that take a value: the rest of the word, or the next one
  std::string_view attached;  // that may take the rest of the word
  std::string_view words;     // long options that stand alone, each between blanks
  std::string_view valued_words;
  std::size_t operands = 0;  // of its own, before the command
};

// Nothing: it is none.
[[nodiscard]] const Wrapper* find_wrapper(std::string_view name);

// Commands that run others in ways that are not followed.
[[nodiscard]] bool is_opaque_runner(std::string_view name);

// What stands before the command.
struct WrapperUse {
  std::size_t command = 0;          // where it begins; behind the last word: there is none
  bool unclear = false;             // an option of which nobody knows whether a value follows
  std::optional<std::size_t> text;  // of env -S, flock -c: the word that is a program's text
  std::string text_attached;        // its first part, if that is in the word of the option
  std::string replacement;          // of xargs -I: what stands for the input
  std::vector<std::size_t> assignments;
};

// `words` is the command line from the wrapper's name on.
[[nodiscard]] WrapperUse read_wrapper(const Wrapper& wrapper, std::span<const ShellWord> words);

}  // namespace glovebox::policy

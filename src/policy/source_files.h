// Which files of a request are code that the program can load.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "policy/program_facts.h"

namespace glovebox::policy {

struct PolicyQuestion;

// By the end of its name; nothing: no code that anybody reads.
[[nodiscard]] std::optional<Syntax> syntax_of_file(std::string_view path);

// The language that such a file is written in.
[[nodiscard]] std::string_view language_of(Syntax syntax);

// Code that can be loaded, in a form that nobody reads here: compiled, or in a language that becomes another one.
[[nodiscard]] bool is_opaque_code(std::string_view path);

// Whether a program in this language that loads this module gets one of the request's files, which are judged
// themselves: `helper` and `pkg.part` in Python, `./helper.js` elsewhere, seen from the file that loads it (empty: the
// program). A file that is named like a module of Python's own hides nothing: which of the two is loaded depends on
// what is loaded already.
[[nodiscard]] bool is_own_module(const PolicyQuestion& question, Syntax syntax, std::string_view module,
                                 std::string_view from);

}  // namespace glovebox::policy

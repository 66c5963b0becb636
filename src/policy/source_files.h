// Which files of a request are code that the program can load.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "policy/program_facts.h"

namespace glovebox::policy {

struct SourceFile;

// By the end of its name; nothing: no code that anybody reads.
[[nodiscard]] std::optional<Syntax> syntax_of_file(std::string_view path);

// The language that such a file is written in.
[[nodiscard]] std::string_view language_of(Syntax syntax);

// Whether the module is one of the files, which are judged themselves: `helper`, `pkg.part`, `./helper.js`.
[[nodiscard]] bool is_own_module(const std::vector<SourceFile>& files, std::string_view module);

}  // namespace glovebox::policy

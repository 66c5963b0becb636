// Programs of 50 lines as a model writes them when it is asked about a table, one in each language that is read;
// compiled in from bench/programs by cmake/embed.cmake.
#pragma once

#include <span>
#include <string_view>

namespace glovebox::bench {

struct EmbeddedProgram {
  std::string_view path;  // "bench/programs/fifty_lines.py"
  std::string_view text;
};

[[nodiscard]] std::span<const EmbeddedProgram> embedded_programs();

}  // namespace glovebox::bench

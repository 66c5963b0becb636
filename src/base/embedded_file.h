// A text file of the source tree inside the program; cmake/embed.cmake writes the tables.
#pragma once

#include <span>
#include <string_view>

namespace glovebox::base {

struct EmbeddedFile {
  std::string_view path;  // as in the source tree: "profiles/languages/python.toml"
  std::string_view text;
};

}  // namespace glovebox::base

// Files compiled into the program: the built-in language profiles and the shims they name. cmake/embed.cmake writes
// the definition from the files in profiles/languages and guest/, so the source of truth stays readable.
#pragma once

#include <span>
#include <string_view>

namespace glovebox::engine {

struct EmbeddedFile {
  std::string_view path;  // as in the source tree: "profiles/languages/python.toml"
  std::string_view text;
};

[[nodiscard]] std::span<const EmbeddedFile> embedded_language_files();
// nullptr: there is no such file.
[[nodiscard]] const EmbeddedFile* find_embedded_file(std::string_view path);

}  // namespace glovebox::engine

// Files compiled into the program: the built-in language profiles and the shims they name. cmake/embed.cmake writes
// the definition from the files in profiles/languages and guest/, so the source of truth stays readable.
#pragma once

#include "base/embedded_file.h"

namespace glovebox::engine {

[[nodiscard]] std::span<const base::EmbeddedFile> embedded_language_files();
// nullptr: there is no such file.
[[nodiscard]] const base::EmbeddedFile* find_embedded_file(std::string_view path);

}  // namespace glovebox::engine

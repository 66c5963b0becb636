// Programs of 50 lines as a model writes them when it is asked about a table, one in each language that is read;
// compiled in from bench/programs by cmake/embed.cmake.
#pragma once

#include "base/embedded_file.h"

namespace glovebox::bench {

[[nodiscard]] std::span<const base::EmbeddedFile> embedded_programs();

}  // namespace glovebox::bench

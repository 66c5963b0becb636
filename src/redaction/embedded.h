// profiles/redaction/*.toml as part of the program; cmake/embed.cmake writes the definition.
#pragma once

#include "base/embedded_file.h"

namespace glovebox::redaction {

[[nodiscard]] std::span<const base::EmbeddedFile> embedded_rule_files();

}  // namespace glovebox::redaction

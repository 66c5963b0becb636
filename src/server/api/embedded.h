// contract/openapi.json and the tool definitions as part of the program; cmake/embed.cmake writes the definition.
#pragma once

#include "base/embedded_file.h"

namespace glovebox::server {

[[nodiscard]] std::span<const base::EmbeddedFile> embedded_contract_files();

}  // namespace glovebox::server

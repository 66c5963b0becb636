// contract/openapi.json and the tool definitions as part of the program; cmake/embed.cmake writes the definition.
#pragma once

#include <span>
#include <string_view>

namespace glovebox::server {

struct EmbeddedFile {
  std::string_view path;  // as in the source tree
  std::string_view text;
};

[[nodiscard]] std::span<const EmbeddedFile> embedded_contract_files();

}  // namespace glovebox::server

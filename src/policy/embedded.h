// The built-in profiles, compiled in from profiles/policies by cmake/embed.cmake.
#pragma once

#include <span>
#include <string_view>

namespace glovebox::policy {

struct EmbeddedFile {
  std::string_view path;  // "profiles/policies/default.toml"
  std::string_view text;
};

[[nodiscard]] std::span<const EmbeddedFile> embedded_policy_files();

}  // namespace glovebox::policy

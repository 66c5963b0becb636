// The built-in profiles, compiled in from profiles/policies by cmake/embed.cmake.
#pragma once

#include "base/embedded_file.h"

namespace glovebox::policy {

[[nodiscard]] std::span<const base::EmbeddedFile> embedded_policy_files();

}  // namespace glovebox::policy

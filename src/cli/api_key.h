// The secret of an API key: made here, shown once, and kept nowhere; the store has its SHA-256.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace glovebox::cli {

// "gbk_" and 43 random characters of 0-9A-Za-z: 256 bits.
[[nodiscard]] base::Result<std::string> new_key_secret();
// "key_" and 16 random characters: a name, no secret.
[[nodiscard]] base::Result<std::string> new_key_id();

// Letters, digits, and . _ - between them; at most 64. A tenant's name stands in URLs, tables and log lines.
[[nodiscard]] bool is_tenant_name(std::string_view name);

}  // namespace glovebox::cli

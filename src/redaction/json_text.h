// Redacts JSON text so that it stays JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "redaction/text_scan.h"

namespace glovebox::redaction {

// The redacted text, compact, or nothing if there was nothing to redact. Text that is not JSON is redacted as text.
[[nodiscard]] std::optional<std::string> redact_json_text(const TextScan& scan, std::string_view json, Counts& counts);

}  // namespace glovebox::redaction

// RunRequest ↔ JSON, as contract/run_request.schema.json describes it.
//
// Parsing either yields a request that obeys every rule of request_rules.h, or says which field is wrong; nothing
// is ignored, nothing is repaired (C3). parse(to_json(x)) == x for every valid request whose text is UTF-8; the
// bytes of inline files need not be, they travel as base64 then.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "contract/json_writer.h"
#include "contract/run_request.h"

namespace glovebox::contract {

inline constexpr std::size_t kMaxRequestTextBytes = std::size_t{96} << 20U;

[[nodiscard]] base::Result<RunRequest> parse_run_request(std::string_view json_text,
                                                         std::size_t max_bytes = kMaxRequestTextBytes);

// Every field is written, defaults too; "input" only when there is one, since null would be an input.
[[nodiscard]] std::string to_json(const RunRequest& request, JsonStyle style = JsonStyle::compact);

}  // namespace glovebox::contract

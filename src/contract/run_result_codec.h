// RunResult ↔ JSON, as contract/run_result.schema.json describes it.
//
// Writing never fails: output that is not UTF-8 gets replacement characters, durations are rounded to a
// microsecond, a rich value that is not JSON becomes a string. Reading is for clients, records and replay: every field
// must be there and no other. parse(to_json(x)) == x except Artifact::content, which is not part of the JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "contract/json_writer.h"
#include "contract/run_result.h"

namespace glovebox::contract {

inline constexpr std::size_t kMaxResultTextBytes = std::size_t{4} << 30U;

[[nodiscard]] std::string to_json(const RunResult& result, JsonStyle style = JsonStyle::compact);

// "error" by itself.
[[nodiscard]] std::string to_json(const RunError& error);

[[nodiscard]] base::Result<RunResult> parse_run_result(std::string_view json_text,
                                                       std::size_t max_bytes = kMaxResultTextBytes);

}  // namespace glovebox::contract

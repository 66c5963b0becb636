// A recorded run as a person reads it: what it was, what it did, what came out. Everything in a record came from
// outside, so the text has no control characters and no escape sequences, wherever it is printed.
#pragma once

#include <cstdint>
#include <string>

#include "records/run_record.h"

namespace glovebox::cli {

[[nodiscard]] std::string describe_run(const records::RunRecord& record, std::int64_t now_ms);

}  // namespace glovebox::cli

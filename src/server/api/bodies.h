// What the bodies of calls say that are more, or less, than one run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "contract/run_request.h"

namespace glovebox::server {

struct BatchRequest {
  std::vector<contract::RunRequest> runs;
  std::string task;
  bool stop_on_failure = false;
  std::uint64_t concurrency = 0;  // 0: as many as there is room for
};
// A run that does not follow the contract refuses the batch, and is named: runs[3].limits.wall_ms.
[[nodiscard]] base::Result<BatchRequest> parse_batch(const std::string& body);

// {"reason": "…"}, for those who stop and resume.
[[nodiscard]] base::Result<std::string> parse_reason(const std::string& body);

}  // namespace glovebox::server

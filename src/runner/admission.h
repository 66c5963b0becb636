// The first step of every run: is this request within the contract, its caps, and what this installation can do?
//
// C3: nothing is silently ignored. A field that is valid but cannot be honoured here is refused by name, because
// running without it would be a different run.
#pragma once

#include "base/result.h"
#include "contract/run_request.h"

namespace glovebox::runner {

[[nodiscard]] base::Status admit(const contract::RunRequest& request);

}  // namespace glovebox::runner

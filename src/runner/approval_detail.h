// What a person sees of a run before answering: the decision, and the program with everything that it would get.
#pragma once

#include <string>

#include "contract/run_request.h"
#include "policy/decision.h"

namespace glovebox::runner {

// {"rules":[…],"decision":{…},"request":{"language":…,"code":…,…}}. Long code is cut, and says so. Not yet redacted.
[[nodiscard]] std::string approval_detail(const contract::RunRequest& request, const policy::Decision& decision);

// "appr_" and 26 characters that sort by time.
[[nodiscard]] std::string new_approval_id();

}  // namespace glovebox::runner

// What a person sees of a run before answering: the decision, and the program with everything that it would get.
//
// An approval is for what was seen, so nothing that decides may be missing in silence. What is too large to be kept is
// named in "cut", and then there is nothing to approve. What redaction took out is told with how much it was: a
// program can look like a secret on purpose.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "contract/run_request.h"
#include "policy/decision.h"
#include "redaction/redactor.h"

namespace glovebox::runner {

// {"rules":[…],"decision":{…},"request":{"language":…,"code":…,…},"cut":[…],"redacted":{…}}
[[nodiscard]] std::string approval_detail(const contract::RunRequest& request, const policy::Decision& decision,
                                          const redaction::Redactor& redactor);

// The parts of a program that this detail does not show to their end. One that cannot be read shows nothing.
[[nodiscard]] std::vector<std::string> cut_parts(std::string_view detail_json);

// "appr_" and 26 characters that sort by time.
[[nodiscard]] std::string new_approval_id();

}  // namespace glovebox::runner

// Whether each rule of a profile finds what its author says it finds.
#pragma once

#include "base/result.h"
#include "policy/profile.h"

namespace glovebox::policy {

// Every example is read as a program. The error names the rule, the example, and its place in the file.
[[nodiscard]] base::Status check_examples(const Profile& profile);

}  // namespace glovebox::policy

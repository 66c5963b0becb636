// Where a command finds policies. Whoever names a directory means its rules: one that is not there is no directory
// without rules.
#pragma once

#include <string>

#include "base/result.h"
#include "runner/config.h"
#include "runner/policies.h"

namespace glovebox::cli {

// The operator's directory, or the one that a flag names; the floor; the workspace. Only the default directory may be
// absent, and none may have a profile that nobody could name.
[[nodiscard]] base::Result<runner::PolicyPlaces> policy_places(const runner::Config& config,
                                                               const std::string& directory_flag);

}  // namespace glovebox::cli

// A workspace can only tighten.
#pragma once

#include <vector>

#include "base/result.h"
#include "policy/profile.h"

namespace glovebox::policy {

struct PolicyLayer;

// Fails with file, line and column when the profile says something weaker than a layer below says.
[[nodiscard]] base::Status refuse_loosening(const Profile& profile, const std::vector<PolicyLayer>& below);

}  // namespace glovebox::policy

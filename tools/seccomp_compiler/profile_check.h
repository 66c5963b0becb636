// The checks that need a whole profile: nothing is forgotten, and no two cases can match the same arguments.
#pragma once

#include "base/result.h"
#include "seccomp_compiler/profile.h"

namespace glovebox::seccomp_compiler {

[[nodiscard]] base::Status check_profile(const Profile& profile, const SyscallTable& table);

// Could one value of the argument satisfy both tests? Exact, not a guess. Both must look at the same argument and bits.
[[nodiscard]] bool tests_overlap(const ArgumentTest& left, const ArgumentTest& right);

}  // namespace glovebox::seccomp_compiler

// Profile → classic BPF, in the shape that installs and runs fastest.
//
// The architecture is checked first, so that the kernel can work out per call number "always allowed" and skip the
// filter for those (it does that at installation by walking the program, which is why a balanced tree installs several
// times faster than a list). Then x32, then a balanced search tree over runs of numbers with the same verdict; only
// leaves of conditional calls read arguments.
//
// Returns: ALLOW; ERRNO|errno for quiet refusals; USER_NOTIF|rule for observed ones; KILL_PROCESS for foreign ways in.
// The kernel ignores the low 16 bits of USER_NOTIF, so they carry the index of the rule: whoever receives the
// notification evaluates the same program again and learns the reason from the same decision.
#pragma once

#include <linux/filter.h>

#include <vector>

#include "base/result.h"
#include "seccomp_compiler/profile.h"

namespace glovebox::seccomp_compiler {

// The profile has passed check_profile. Fails when the program would be longer than the kernel takes.
[[nodiscard]] base::Result<std::vector<sock_filter>> build_program(const Profile& profile);

}  // namespace glovebox::seccomp_compiler

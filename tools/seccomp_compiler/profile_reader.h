// Text → SyscallTable and Profile. Every message starts with "file:line: ".
//
// Strict on purpose: an unknown key, an unused constant or a value that can never match is refused, because in a
// security profile a misspelt word must not become a rule that silently does nothing.
#pragma once

#include <string_view>

#include "base/result.h"
#include "seccomp_compiler/profile.h"

namespace glovebox::seccomp_compiler {

// Lines of number<TAB>name, in ascending order.
[[nodiscard]] base::Result<SyscallTable> read_syscall_table(std::string_view text, std::string_view file);

// Refuses unknown and repeated calls; check_profile does the checks that need the whole profile.
[[nodiscard]] base::Result<Profile> read_profile(std::string_view text, std::string_view file,
                                                 const SyscallTable& table);

}  // namespace glovebox::seccomp_compiler

// Compiled profiles and the call table → C++ text that src/os includes: constant data, no constructors at start-up.
#pragma once

#include <linux/filter.h>

#include <span>
#include <string>
#include <vector>

#include "seccomp_compiler/profile.h"

namespace glovebox::seccomp_compiler {

struct CompiledProfile {
  Profile profile;
  std::vector<sock_filter> program;
};

// SHA-256 over the program and what the supervisor answers: equal keys mean equal behaviour.
[[nodiscard]] std::string profile_key(const CompiledProfile& compiled);

[[nodiscard]] std::string write_filters(std::span<const CompiledProfile> profiles);
[[nodiscard]] std::string write_syscall_table(const SyscallTable& table);

}  // namespace glovebox::seccomp_compiler

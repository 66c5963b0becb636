// Names and numbers of the x86_64 system calls, from profiles/seccomp/syscalls_x86_64.tsv.
//
// Constant data without start-up code, so that it can be linked into the smallest static program.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace glovebox::os {

struct SyscallEntry {
  int number = 0;
  std::string_view name;
};

// In ascending order of their numbers; there are gaps.
[[nodiscard]] std::span<const SyscallEntry> all_syscalls();
// Empty for a number that is not in the table.
[[nodiscard]] std::string_view syscall_name(int number);
[[nodiscard]] std::optional<int> syscall_number(std::string_view name);

}  // namespace glovebox::os

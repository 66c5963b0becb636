// Runs a seccomp program in user space: what would the kernel decide for this call?
//
// Filters are proven by tests with it, and the supervisor asks it which rule refused a call. It takes exactly the
// instructions that the kernel's seccomp checker takes (seccomp_check_filter and bpf_check_classic), so a program that
// evaluates here also installs there. Pure, no system calls, no allocation unless it fails.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cstdint>
#include <span>

#include "base/result.h"

namespace glovebox::os {

// What the kernel refuses to install: unknown instructions, jumps out of the program, loads outside seccomp_data,
// division by zero, shifts past the word, bad or unwritten scratch cells, a last instruction that is no return.
[[nodiscard]] base::Status check_program(std::span<const sock_filter> program);

// The SECCOMP_RET_* value. Checks the program first; a program that fails the check decides nothing.
[[nodiscard]] base::Result<std::uint32_t> evaluate(std::span<const sock_filter> program, const seccomp_data& data);

}  // namespace glovebox::os

// A refused system call as a person would write it: socket(AF_INET, SOCK_STREAM), unshare(CLONE_NEWUSER|CLONE_NEWNS).
//
// Only values in registers are used. What a pointer argument points at belongs to the program, may change at any
// moment and is never read; such calls appear by their name alone.
#pragma once

#include <linux/seccomp.h>

#include <string>

namespace glovebox::engine {

[[nodiscard]] std::string call_text(const seccomp_data& data);

}  // namespace glovebox::engine

// Landlock as a second wall, independent of mounts and of seccomp: files by path, TCP, signals, abstract sockets.
#pragma once

#include <cstdint>

namespace glovebox::engine {

// Restricts the calling process for ever, to what this ABI of landlock knows. Runs after the cell's root is entered and
// no_new_privs is set. False with errno.
bool restrict_with_landlock(std::uint32_t abi);

}  // namespace glovebox::engine

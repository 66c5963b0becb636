// The last steps before foreign code may run in a process: limits, privileges, files, system calls.
//
// The same for the first process of a cell, which passes them on to the program it starts, and for a process that a
// zygote forks into a cell. Nothing here allocates, locks or logs; a failed step leaves errno.
#pragma once

#include <cstdint>
#include <span>

#include "engine/launcher/cell_messages.h"

struct sock_filter;

namespace glovebox::engine {

struct ResourceLimit {
  std::uint32_t resource = 0;  // RLIMIT_…
  std::uint64_t value = 0;
  bool operator==(const ResourceLimit&) const = default;
};

struct SealStep {
  bool done = true;
  CellStage stage = CellStage::rlimits;
  int detail = 0;  // which limit or capability
};

// Lowers both the soft and the hard value; never above what the process has.
[[nodiscard]] SealStep set_rlimits(std::span<const ResourceLimit> limits);
// One CPU, and memory laid out alike each time, for everything that this process starts.
[[nodiscard]] SealStep make_repeatable();
// No capability is left or can come back, in no set, by no executable.
[[nodiscard]] SealStep drop_privileges();
// Installs the filter and returns the listener through which refused calls are seen from outside, or -1.
[[nodiscard]] int filter_calls(std::span<const sock_filter> program);

}  // namespace glovebox::engine

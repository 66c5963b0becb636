// Measures a cell from outside when no control group does it: the degraded mode (L11).
//
// Every process of a cell descends from its first one, since orphans are re-parented to it. A snapshot walks
// /proc/<pid>/task/*/children; it is taken by polling, so a burst between two looks can pass a limit for a moment.
#pragma once

#include <cstdint>

namespace glovebox::engine {

struct TreeUsage {
  std::uint64_t memory_bytes = 0;  // proportional set size over all processes
  std::uint64_t cpu_us = 0;        // of the living, and of what they waited for
  std::uint64_t tasks = 0;         // processes and threads, without the first process
};

[[nodiscard]] TreeUsage measure_tree(int first_pid);

}  // namespace glovebox::engine

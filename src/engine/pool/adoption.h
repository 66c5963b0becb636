// What the supervisor asks of a zygote: fork a child into this cell.
//
// One packet on the zygote's channel: an AdoptionRequest, then its resource limits. Beside it, in order: a pidfd of the
// cell's first process; the child's stdin, stdout, stderr and channel; the cgroup2 directory if there is one; the v1
// task files. The answer comes on the child's channel, from the child itself: CellMessage{sealed} with the listener for
// refused calls when it is ready, or CellMessage{failed}. Then the child waits there for its orders.
#pragma once

#include <cstdint>

#include "engine/launcher/process_seal.h"

namespace glovebox::engine {

inline constexpr std::uint32_t kAdoptionMagic = 0x47425a31;  // "GBZ1"
inline constexpr std::uint32_t kMaxAdoptionLimits = 32;
inline constexpr std::uint32_t kAdoptionFixedFds = 5;

struct AdoptionRequest {
  std::uint32_t magic = kAdoptionMagic;
  std::uint32_t uid = 1000;
  std::uint32_t gid = 1000;
  std::uint32_t landlock_abi = 0;
  std::uint32_t into_cgroup = 0;  // 0 or 1
  std::uint32_t task_fds = 0;     // the last of them, which counts processes, is joined by the child alone
  std::uint32_t limits = 0;
  std::uint32_t unused = 0;
};

// Before the orders themselves: how many limits, then the limits, which are the final ones of the run.
struct OrdersHeader {
  std::uint32_t limits = 0;
  std::uint32_t unused = 0;
};

inline constexpr char kZygoteReady = 'r';
// Of a runtime that waits in its own cell; the second one has split off a keeper of its memory.
inline constexpr char kRuntimeReady = 'r';
inline constexpr char kRuntimeReadyAndKept = 'k';

}  // namespace glovebox::engine

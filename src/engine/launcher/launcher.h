// The launcher: the only part of Glovebox that clones and mounts.
//
// A process of its own with one thread, because a process with threads must not fork a sandbox: the program
// glovebox-launcher, or for a short-lived command a fork of it that has done nothing else yet. It reads requests from
// one SOCK_SEQPACKET socket (descriptor 3): an encoded CellSpec with the run's descriptors. For each it clones a cell,
// writes the id maps, and answers with a pidfd. It keeps no state between requests. When the socket closes it ends, and
// the kernel kills every cell that is still alive (PR_SET_PDEATHSIG).
#pragma once

#include <cstdint>

#include "engine/launcher/cell_messages.h"

namespace glovebox::engine {

inline constexpr int kLauncherSocket = 3;

struct LaunchReply {
  std::int32_t failed = 0;
  CellStage stage = CellStage::clone;
  std::int32_t sys_errno = 0;
  std::int32_t pid = 0;  // in the launcher's pid namespace
};

enum class ExpectedLaunches { one, many };

// Serves until the peer closes the socket. Returns the exit status. `expected` only decides what is prepared ahead.
int serve_launches(int socket, ExpectedLaunches expected);

}  // namespace glovebox::engine

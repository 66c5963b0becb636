// Forks the calling process into a cell: the child has the caller's memory and none of its rights.
#pragma once

#include "engine/pool/adoption.h"
#include "os/packets.h"

namespace glovebox::guest {

enum class Fork { parent, child, failed };

struct Entry {
  int listener = -1;  // for refused calls
  int keeper = -1;    // a pidfd: see program_process.h
};

// In the child: every namespace of the cell, its control groups, its user, its standard streams; limits, privileges,
// files and calls sealed; no descriptor but 0, 1, 2 and the channel (kChannelFd). `entry` is set in the child.
// A child that cannot be sealed says so on its channel and ends. The caller closes the descriptors.
Fork fork_into_cell(const engine::AdoptionRequest& request, std::span<const engine::ResourceLimit> limits,
                    std::span<const int> fds, Entry& entry);

}  // namespace glovebox::guest

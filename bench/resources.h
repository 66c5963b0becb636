// What the processes of a Runner hold: memory, descriptors, groups, mounts. Read from /proc, from outside, so that a
// leak shows whoever causes it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "os/cgroup_site.h"

namespace glovebox::bench {

struct ResourceSample {
  std::size_t runs = 0;              // done when it was taken
  std::uint64_t own_bytes = 0;       // anonymous resident memory of this process
  std::uint64_t launcher_bytes = 0;  // of the launchers
  std::uint64_t own_descriptors = 0;
  std::uint64_t launcher_descriptors = 0;
  std::uint64_t groups = 0;  // control groups of this process's cells
  std::uint64_t own_mounts = 0;
  std::uint64_t launcher_mounts = 0;
  std::uint64_t processes = 0;          // everything below this process: launchers, nurseries, zygotes, waiting cells
  std::uint64_t below_bytes = 0;        // of all of them; what several share counts once in all
  std::uint64_t below_descriptors = 0;  // of all of them
  std::uint64_t below_mounts = 0;       // in all their mount namespaces
  std::uint64_t idle_cells = 0;
};

// All processes below `root`, without itself.
[[nodiscard]] std::vector<pid_t> descendants(pid_t root);

// idle_cells and runs are the caller's to fill in.
[[nodiscard]] ResourceSample sample_resources(const os::CgroupSite& site);

// Memory that only these processes hold, each alone or with its keeper. nullopt: the kernel does not let us look at one
// of them.
[[nodiscard]] std::optional<std::uint64_t> private_bytes(const std::vector<pid_t>& processes);

}  // namespace glovebox::bench

// What the launcher needs to build one cell, and nothing else.
//
// The supervisor plans (SandboxPlan), the launcher builds: a CellSpec is the part of a plan that crosses the socket
// between them, beside the descriptors. It is decoded with every bound checked before anything is cloned; after the
// clone it is only read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/launcher/process_seal.h"

namespace glovebox::engine {

// One step of building the cell's root. Targets are relative to it, in order, parents first.
struct RootEntry {
  enum class Kind : std::uint32_t {
    directory,  // an empty directory
    file,       // a small file; `source` is its content
    symlink,    // `source` is where it points
    image,      // a host directory behind an overlay, so that its inodes are not the host's; bound where that fails
    bind_directory,  // a host directory, read-only, nosuid, nodev
    copied_file,     // a host file of up to 1 MiB, copied; bound if it is larger
    device,          // a device node of our own where that can be made, else the host's; nosuid, noexec
    scratch,         // the part of the sized tmpfs called `source`, writable
    scratch_sealed,  // the same, read-only
    proc,            // a procfs of the cell's own pid namespace that shows processes only
    sealed_support,  // as scratch_sealed, over a directory of the nursery whose `support` stays to be seen in it
  };
  Kind kind = Kind::directory;
  std::string target;
  std::string source;
  bool operator==(const RootEntry&) const = default;
};

enum class CellRole : std::uint32_t {
  program,   // a cold cell: the program is executed when the inputs are there
  started,   // a runtime is executed at once and waits on its channel for what to run
  adopting,  // nothing is executed: a zygote forks a child into the cell
  zygote,    // not a cell: a runtime that lives in the nursery and is forked into cells
  nursery,   // not a cell: a launcher of its own, in a user namespace above those of its cells
};

struct CellSpec {
  CellRole role = CellRole::program;
  std::uint32_t host_uid = 0;  // who the cell is to the host
  std::uint32_t host_gid = 0;
  std::uint32_t uid = 1000;  // who it is to itself
  std::uint32_t gid = 1000;
  std::uint32_t id_count = 1;  // how many ids are mapped from there on; more than one in a nursery only
  std::string hostname;
  std::string directory;  // where the program starts, absolute
  std::vector<RootEntry> root;
  std::uint64_t scratch_bytes = 0;
  std::uint64_t scratch_inodes = 0;
  std::vector<std::string> scratch_parts;  // directories at the top of the scratch tmpfs
  std::vector<std::string> blob_targets;   // relative to the root; the descriptors follow in the same order
  std::vector<ResourceLimit> rlimits;
  std::vector<std::string> argv;
  std::vector<std::string> env;  // NAME=value
  std::string seccomp;           // name of the filter
  std::uint32_t landlock_abi = 0;
  std::uint64_t latest_end_ms = 0;  // after the start: then the cell ends by itself, whatever the supervisor does
  std::uint32_t task_fds = 0;       // how many v1 groups to join
  bool into_cgroup = false;         // a cgroup2 directory comes along for CLONE_INTO_CGROUP
  bool deterministic = false;       // one CPU, and memory laid out alike each time
  bool fresh_network = false;       // in a nursery: not even an emptied network namespace of an earlier cell
  bool operator==(const CellSpec&) const = default;
};

inline constexpr std::size_t kMaxSpecBytes = 160U << 10U;

// The order of descriptors beside an encoded spec: the cell's socket; stdin, stdout, stderr if something is executed;
// the channel if it waits for orders; then the cgroup2 directory if there is one, the v1 task files, the blobs.
[[nodiscard]] constexpr bool executes(CellRole role) {
  return role == CellRole::program || role == CellRole::started || role == CellRole::zygote;
}
[[nodiscard]] constexpr bool has_channel(CellRole role) {
  return role == CellRole::started || role == CellRole::zygote;
}
[[nodiscard]] constexpr std::size_t fixed_fds(CellRole role) {
  return 1U + (executes(role) ? 3U : 0U) + (has_channel(role) ? 1U : 0U);
}

[[nodiscard]] base::Result<std::string> encode_cell_spec(const CellSpec& spec);
[[nodiscard]] base::Result<CellSpec> decode_cell_spec(std::string_view bytes);

}  // namespace glovebox::engine

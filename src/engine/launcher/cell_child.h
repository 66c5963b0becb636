// The first process of a cell, from the clone until the end of the run.
//
// Runs in the child of clone3, which shares nothing writable with the launcher but the descriptors in CellFds.
// Until the program is executed nothing here allocates, locks or logs: a failure is one CellMessage{failed}.
// It never returns, except into a nursery.
#pragma once

#include <cstdint>
#include <span>

#include "engine/launcher/cell_spec.h"
#include "os/linux_abi.h"

struct sock_filter;

namespace glovebox::engine {

inline constexpr std::uint64_t kBlobAttributes =
    MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;

struct CellFds {
  int socket = -1;  // to the supervisor
  int standard_input = -1;
  int standard_output = -1;
  int standard_error = -1;
  int channel = -1;
  int identity = -1;           // pipe: one byte when the launcher has written the id maps, EOF if it died
  std::span<const int> tasks;  // v1 groups to join
  std::span<const int> blobs;  // files, or detached mounts of them
  int devices = -1;            // a detached mount of devices of our own; -1: the host's have to do
};

// Everything that needs memory is prepared before the clone.
struct CellPlan {
  const CellSpec* spec = nullptr;
  CellFds fds;
  std::span<const sock_filter> filter;
  const char* const* argv = nullptr;
  const char* const* env = nullptr;
  const char* scratch_size = nullptr;  // decimal, for fsconfig
  const char* scratch_inodes = nullptr;
  int proc = -1;  // the launcher's procfs
  bool blobs_are_mounts = false;
  bool drop_groups = false;    // the launcher is privileged, so supplementary groups can and must go
  bool prepared_root = false;  // the launcher is a nursery: its root has the image already
};

// A cell of role program, started or adopting.
[[noreturn]] void run_cell(const CellPlan& plan);
// A zygote: a runtime in the user namespace of the nursery, with the few privileges there that forking into a cell
// takes, and none outside.
[[noreturn]] void run_zygote(const CellPlan& plan);
// Comes back in a process that may serve launches: its root is the image, its user namespace is above those of its
// cells to be, its process namespace has it as the first process. Nothing of the host is left to it. Its socket is now
// kLauncherSocket; the result is a descriptor of its procfs.
[[nodiscard]] int enter_nursery(const CellPlan& plan);

}  // namespace glovebox::engine

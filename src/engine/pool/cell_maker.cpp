#include "engine/pool/cell_maker.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/cleanup.h"
#include "engine/languages/language_command.h"
#include "engine/pool/adoption.h"
#include "engine/pool/cell_talk.h"
#include "os/calls.h"
#include "os/packets.h"
#include "os/pairs.h"

namespace glovebox::engine {
namespace {

using base::errno_error;
using base::ErrorCode;
using base::fail;
using base::Fd;
using base::Result;
using base::Status;

constexpr int kRuntimePatienceMs = 20'000;

bool depends_on_run(const ResourceLimit& limit) {
  return limit.resource == RLIMIT_CPU || limit.resource == RLIMIT_NOFILE || limit.resource == RLIMIT_NPROC ||
         limit.resource == RLIMIT_FSIZE;
}

// The other ends, which the cell gets.
struct CellEnds {
  Fd socket;
  Fd channel;
  Fd standard_output;
  Fd standard_error;
};

Status give_pipe(Fd& ours, Fd& theirs, std::uint32_t host_uid) {
  if (os::make_pipe(ours, theirs) != 0) {
    return fail(errno_error(ErrorCode::setup_failed, "pipes", "cannot create a pipe"));
  }
  // Writing to /dev/stdout opens it once more, as the cell's user.
  if (::geteuid() == 0 && ::fchown(theirs.get(), host_uid, host_uid) != 0) {
    return fail(errno_error(ErrorCode::setup_failed, "pipes", "cannot give a pipe to the cell"));
  }
  ::fcntl(ours.get(), F_SETFL, O_NONBLOCK);
  return {};
}

Result<CellEnds> open_descriptors(WarmCell& cell, bool has_zygote, std::uint32_t host_uid) {
  CellEnds ends;
  if (os::make_socket_pair(cell.socket, ends.socket) != 0) {
    return fail(errno_error(ErrorCode::setup_failed, "socket", "cannot create the cell's socket"));
  }
  // A runtime that reads its orders with its own means reads a stream until it ends.
  if (os::make_socket_pair(cell.channel, ends.channel, has_zygote ? SOCK_SEQPACKET : SOCK_STREAM) != 0) {
    return fail(errno_error(ErrorCode::setup_failed, "socket", "cannot create the cell's channel"));
  }
  cell.standard_input = Fd(::memfd_create("stdin", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!cell.standard_input.valid()) {
    return fail(errno_error(ErrorCode::setup_failed, "stdin", "cannot prepare standard input"));
  }
  TRY_STATUS(give_pipe(cell.standard_output, ends.standard_output, host_uid));
  TRY_STATUS(give_pipe(cell.standard_error, ends.standard_error, host_uid));
  return ends;
}

CellSpec spec_of_cell(const CellRecipe& recipe, Nursery::CellUser user) {
  const contract::Limits limits;
  CellSpec spec;
  spec.role = recipe.zygote != nullptr ? CellRole::adopting : CellRole::started;
  spec.host_uid = user.inner;
  spec.host_gid = user.inner;
  spec.hostname = "glovebox";
  spec.directory = kWorkDirectory;
  spec.root = recipe.nursery.image();
  add_cell_places(spec.root, RootEntry::Kind::sealed_support);
  const ScratchSize size = scratch_size(limits, 0, 0);
  spec.scratch_bytes = size.bytes;
  spec.scratch_inodes = size.inodes;
  spec.scratch_parts = {kWorkPart, kTmpPart, kShmPart, kCodePart, kSupportPart, kEmptyPart};
  if (spec.role == CellRole::started) {
    spec.rlimits = waiting_rlimits();
    spec.argv = fill_in_command(recipe.language, recipe.language.warm.command, limits.memory_bytes);
    for (const auto& [name, value] : environment(recipe.language, limits.memory_bytes)) {
      spec.env.push_back(name + "=" + value);
    }
  }
  spec.seccomp = "default";
  spec.landlock_abi = recipe.landlock_abi;
  spec.fresh_network = recipe.fresh_network;
  return spec;
}

std::vector<ResourceLimit> rlimits_of_sealing() {
  std::vector<ResourceLimit> rlimits = waiting_rlimits();
  std::erase_if(rlimits, depends_on_run);
  return rlimits;
}

// The runtime says one byte when it is loaded.
Status await_runtime(WarmCell& cell) {
  char ready = 0;
  if (!wait_readable(cell.channel.get(), kRuntimePatienceMs) || ::read(cell.channel.get(), &ready, 1) != 1 ||
      (ready != kRuntimeReady && ready != kRuntimeReadyAndKept)) {
    return fail(ErrorCode::setup_failed, "the runtime of a warm cell did not come up");
  }
  return ready == kRuntimeReadyAndKept ? cell.cgroup.expect_keeper(os::KeeperPlace::inside) : Status();
}

// The child is in; from now on nobody can look at the first process.
Status close_door(const WarmCell& cell) {
  const CellGo adopted;
  if (os::send_packet(cell.socket.get(), &adopted, sizeof(adopted)) != 0) {
    return fail(errno_error(ErrorCode::setup_failed, "socket", "cannot reach the first process of a warm cell"));
  }
  TRY(expect_message(cell.socket.get(), CellMessageKind::sealed, 0, "a warm cell"));
  return {};
}

}  // namespace

os::CgroupLimits waiting_limits() {
  const contract::Limits limits;
  return {limits.memory_bytes, limits.processes, limits.cpu_percent};
}

std::vector<ResourceLimit> waiting_rlimits() {
  const contract::Limits limits;
  std::vector<ResourceLimit> rlimits = kernel_rlimits(limits, scratch_size(limits, 0, 0).bytes, false);
  // The time of a run is its own; the supervisor and the control group count it exactly.
  std::erase_if(rlimits, [](const ResourceLimit& limit) { return limit.resource == RLIMIT_CPU; });
  return rlimits;
}

std::vector<ResourceLimit> rlimits_of_run(const std::vector<ResourceLimit>& all) {
  std::vector<ResourceLimit> found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found), depends_on_run);
  return found;
}

Result<WarmCell> make_warm_cell(const CellRecipe& recipe, os::CellCgroup cgroup) {
  WarmCell cell;
  cell.cgroup = std::move(cgroup);
  if (recipe.zygote != nullptr) {
    TRY_STATUS(cell.cgroup.expect_keeper(os::KeeperPlace::joins));
    cell.birth_group = recipe.zygote->group();
  }
  const Nursery::CellUser user = recipe.nursery.next_user();
  CellEnds ends = TRY(open_descriptors(cell, recipe.zygote != nullptr, user.host));
  CellSpec spec = spec_of_cell(recipe, user);
  CellDescriptors descriptors;
  descriptors.socket = ends.socket.get();
  descriptors.standard_input = cell.standard_input.get();
  descriptors.standard_output = ends.standard_output.get();
  descriptors.standard_error = ends.standard_error.get();
  descriptors.channel = ends.channel.get();
  descriptors.cgroup = cell.cgroup.unified_fd();
  descriptors.tasks = cell.cgroup.task_fds();
  spec.into_cgroup = descriptors.cgroup >= 0;
  spec.task_fds = static_cast<std::uint32_t>(descriptors.tasks.size());
  cell.process = TRY(recipe.nursery.launch(spec, descriptors));
  ends.socket.reset();
  // A cell that did not come to be must not keep its control groups busy.
  base::Cleanup end_it([&cell] {
    cell.cgroup.kill_all();
    os::pidfd_send_signal(cell.process.pidfd.get(), SIGKILL);
    (void)wait_readable(cell.process.pidfd.get(), 1000);
  });

  CellNews scratch = TRY(expect_message(cell.socket.get(), CellMessageKind::scratch, 2, "a warm cell"));
  cell.scratch = Scratch(std::move(scratch.fds[0]), user.host, user.host);
  cell.scratch_size = std::move(scratch.fds[1]);
  cell.scratch_bytes = spec.scratch_bytes;
  cell.scratch_inodes = spec.scratch_inodes;
  const bool adopts = recipe.zygote != nullptr;
  CellNews sealed = TRY(expect_message(cell.socket.get(), CellMessageKind::sealed, adopts ? 0 : 1, "a warm cell"));
  cell.image_covered = sealed.message.detail == 1;
  if (adopts) {
    TRY_STATUS(recipe.zygote->adopt({cell.process.pidfd.get(), cell.standard_input.get(), ends.standard_output.get(),
                                     ends.standard_error.get(), ends.channel.get(), descriptors.cgroup,
                                     descriptors.tasks, recipe.landlock_abi, rlimits_of_sealing()}));
    ends = {};
    CellNews child = TRY(expect_message(cell.channel.get(), CellMessageKind::sealed, 2, "the child of a zygote"));
    cell.listener = std::move(child.fds[0]);
    cell.keeper = std::move(child.fds[1]);
    cell.takes_limits = true;
    TRY_STATUS(close_door(cell));
  } else {
    ends = {};
    cell.listener = std::move(sealed.fds[0]);
    TRY_STATUS(await_runtime(cell));
    cell.rlimits = spec.rlimits;
  }
  cell.make_cpu_ms = static_cast<double>(cell.cgroup.mark()) / 1000;
  cell.made_at = std::chrono::steady_clock::now();
  end_it.release();
  return cell;
}

}  // namespace glovebox::engine

#include "cell_entry.h"

#include <grp.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "engine/launcher/cell_landlock.h"
#include "engine/launcher/cell_reporter.h"
#include "learned_pages.h"
#include "os/calls.h"
#include "os/seccomp_filter.h"
#include "program_process.h"

namespace glovebox::guest {
namespace {

using engine::CellReporter;
using engine::CellStage;
using engine::kChannelFd;

constexpr int kNamespaces =
    CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET | CLONE_NEWCGROUP;

// Beside the channel until the program's process is counted, and known to the supervisor.
constexpr int kKeeperFd = kChannelFd + 1;
constexpr int kCountingGroupFd = kChannelFd + 2;

enum Place : std::size_t { kFirstProcess, kInput, kOutput, kErrors, kChannel, kGroups };

// Joins the cell as far as a process can; its children are then born inside of it.
void join(const engine::AdoptionRequest& request, std::span<const int> fds, const CellReporter& reporter) {
  for (std::size_t index = 0; index + 1 < request.task_fds; ++index) {
    reporter.require(::write(fds[kGroups + request.into_cgroup + index], "0", 1) == 1, CellStage::cgroups);
  }
  reporter.require(::setns(fds[kFirstProcess], kNamespaces) == 0, CellStage::clone);
}

int seal(const engine::AdoptionRequest& request, std::span<const engine::ResourceLimit> limits,
         std::span<const int> fds, int myself, const CellReporter& before) {
  before.require(::setresgid(request.gid, request.gid, request.gid) == 0 &&
                     ::setresuid(request.uid, request.uid, request.uid) == 0,
                 CellStage::identity);
  before.require(::chdir("/work") == 0, CellStage::pivot);
  before.require(::dup2(fds[kInput], 0) == 0 && ::dup2(fds[kOutput], 1) == 1 && ::dup2(fds[kErrors], 2) == 2 &&
                     ::dup2(fds[kChannel], kChannelFd) == kChannelFd && ::dup2(myself, kKeeperFd) == kKeeperFd &&
                     (request.task_fds == 0 || ::dup2(fds.back(), kCountingGroupFd) == kCountingGroupFd),
                 CellStage::exec);
  os::close_range(kCountingGroupFd + (request.task_fds == 0 ? 0 : 1), ~0U, 0);
  const CellReporter reporter(kChannelFd);
  reporter.require(engine::set_rlimits(limits));
  reporter.require(engine::drop_privileges());
  // As after an execution: a program may look at itself. Nobody else in the cell has a call to look with.
  reporter.require(::prctl(PR_SET_DUMPABLE, 1) == 0, CellStage::privileges);
  if (request.landlock_abi > 0) {
    reporter.require(engine::restrict_with_landlock(request.landlock_abi), CellStage::landlock);
  }
  const os::SeccompFilter* filter = os::find_seccomp_filter("default");
  reporter.require(filter != nullptr, CellStage::seccomp);
  const int listener = engine::filter_calls(filter->program);
  reporter.require(listener >= 0, CellStage::seccomp);
  return listener;
}

// In the sealed process that joined the cell: its child is the program's, and the first one inside.
void enter(const engine::AdoptionRequest& request) {
  const CellReporter reporter(kChannelFd);
  errno = split_off_program();
  reporter.require(errno == 0, CellStage::fork);
  if (request.task_fds != 0) {
    reporter.require(::write(kCountingGroupFd, "0", 1) == 1, CellStage::cgroups);
    ::close(kCountingGroupFd);
  }
  reporter.require(::setsid() >= 0, CellStage::identity);
}

}  // namespace

Fork fork_into_cell(const engine::AdoptionRequest& request, std::span<const engine::ResourceLimit> limits,
                    std::span<const int> fds, Entry& entry) {
  clone_args keeper{};
  keeper.exit_signal = SIGCHLD;  // which the zygote ignores: nobody waits for keepers
  if (request.into_cgroup != 0) {
    keeper.flags = CLONE_INTO_CGROUP;
    keeper.cgroup = static_cast<std::uint64_t>(fds[kGroups]);
  }
  const long child = ::syscall(SYS_clone3, &keeper, sizeof(keeper));
  if (child != 0) {
    return child > 0 ? Fork::parent : Fork::failed;
  }
  const CellReporter reporter(fds[kChannel]);
  const int myself = os::pidfd_open(::getpid());
  reporter.require(myself >= 0, CellStage::clone);
  join(request, fds, reporter);
  copy_learned_pages();  // which the cell pays for, now that it is ours
  entry.keeper = kKeeperFd;
  entry.listener = seal(request, limits, fds, myself, reporter);
  enter(request);
  return Fork::child;
}

}  // namespace glovebox::guest

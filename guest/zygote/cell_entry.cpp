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

namespace glovebox::guest {
namespace {

using engine::CellReporter;
using engine::CellStage;
using engine::kChannelFd;

constexpr int kNamespaces =
    CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET | CLONE_NEWCGROUP;

enum Place : std::size_t { kFirstProcess, kInput, kOutput, kErrors, kChannel, kGroups };

// A process that shares our memory and runs while we wait, as with vfork, but born into the cell's cgroup2. Written as
// one instruction because nobody may return over the return address that the other still needs.
long clone_on_this_stack(const clone_args& args) {
  long result = SYS_clone3;
  asm volatile("syscall" : "+a"(result) : "D"(&args), "S"(sizeof(args)) : "rcx", "r11", "memory");
  return result;
}

// Joins the cell as far as a process can; its children are then born inside of it.
void join(const engine::AdoptionRequest& request, std::span<const int> fds, const CellReporter& reporter) {
  for (std::size_t index = 0; index + 1 < request.task_fds; ++index) {
    reporter.require(::write(fds[kGroups + request.into_cgroup + index], "0", 1) == 1, CellStage::cgroups);
  }
  reporter.require(::setns(fds[kFirstProcess], kNamespaces) == 0, CellStage::clone);
}

int seal(const engine::AdoptionRequest& request, std::span<const engine::ResourceLimit> limits,
         std::span<const int> fds, const CellReporter& before) {
  before.require(request.task_fds == 0 || ::write(fds.back(), "0", 1) == 1, CellStage::cgroups);
  before.require(::setsid() >= 0, CellStage::identity);
  before.require(::setresgid(request.gid, request.gid, request.gid) == 0 &&
                     ::setresuid(request.uid, request.uid, request.uid) == 0,
                 CellStage::identity);
  before.require(::chdir("/work") == 0, CellStage::pivot);
  before.require(::dup2(fds[kInput], 0) == 0 && ::dup2(fds[kOutput], 1) == 1 && ::dup2(fds[kErrors], 2) == 2 &&
                     ::dup2(fds[kChannel], kChannelFd) == kChannelFd,
                 CellStage::exec);
  os::close_range(kChannelFd + 1, ~0U, 0);
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

}  // namespace

Fork fork_into_cell(const engine::AdoptionRequest& request, std::span<const engine::ResourceLimit> limits,
                    std::span<const int> fds, int& listener) {
  clone_args outside{};
  outside.flags = CLONE_VM | CLONE_VFORK;
  outside.exit_signal = SIGCHLD;  // which the zygote ignores: nobody waits for those in between
  clone_args inside = outside;
  if (request.into_cgroup != 0) {
    outside.flags |= CLONE_INTO_CGROUP;
    outside.cgroup = static_cast<std::uint64_t>(fds[kGroups]);
  }
  const long helper = clone_on_this_stack(outside);
  if (helper != 0) {
    return helper > 0 ? Fork::parent : Fork::failed;
  }
  // The first helper enters the cell; its children are born in the cell's process namespace, but would be orphans of
  // ours. So the second one, born inside, is the parent: its orphan falls to the first process of the cell.
  const CellReporter reporter(fds[kChannel]);
  join(request, fds, reporter);
  const long parent = clone_on_this_stack(inside);
  reporter.require(parent >= 0, CellStage::fork);
  if (parent > 0) {
    ::_exit(0);
  }
  const pid_t child = ::_Fork();
  reporter.require(child >= 0, CellStage::fork);
  if (child > 0) {
    ::_exit(0);
  }
  // From here on in memory of its own; the frames above us are copies, and returning through them is fine.
  copy_learned_pages();
  listener = seal(request, limits, fds, reporter);
  return Fork::child;
}

}  // namespace glovebox::guest

#include "engine/launcher/process_seal.h"

#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/securebits.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>

#include "os/calls.h"

namespace glovebox::engine {

SealStep set_rlimits(std::span<const ResourceLimit> limits) {
  for (const ResourceLimit& limit : limits) {
    const auto resource = static_cast<__rlimit_resource>(limit.resource);
    const SealStep failed{false, CellStage::rlimits, static_cast<int>(limit.resource)};
    rlimit value{};
    if (::prlimit(0, resource, nullptr, &value) != 0) {
      return failed;
    }
    // Never above what the host gave us: raising needs a privilege that we do not have.
    value.rlim_max = limit.value < value.rlim_max ? limit.value : value.rlim_max;
    value.rlim_cur = value.rlim_max;
    if (::prlimit(0, resource, &value, nullptr) != 0) {
      return failed;
    }
  }
  return {};
}

SealStep make_repeatable() {
  // Where we run now: which one it is does not matter, and cells that run at once have different ones.
  const int cpu = ::sched_getcpu();
  cpu_set_t one;
  CPU_ZERO(&one);
  if (cpu < 0 || cpu >= CPU_SETSIZE) {
    return {false, CellStage::determinism, cpu};
  }
  CPU_SET(static_cast<std::size_t>(cpu), &one);
  const bool pinned = ::sched_setaffinity(0, sizeof(one), &one) == 0;
  // Who wakes up does not push aside who runs: a parent that starts several children has started them all before the
  // first one does something.
  const sched_param no_priority{};
  const bool in_turn = ::sched_setscheduler(0, SCHED_BATCH, &no_priority) == 0;
  return {pinned && in_turn && ::personality(ADDR_NO_RANDOMIZE) >= 0, CellStage::determinism, cpu};
}

SealStep drop_privileges() {
  unsigned capability = 0;
  while (::prctl(PR_CAPBSET_DROP, capability) == 0) {
    ++capability;
  }
  // The first one that the kernel does not know ends the list, and nothing else does.
  if (errno != EINVAL || capability <= CAP_CHECKPOINT_RESTORE) {
    return {false, CellStage::privileges, static_cast<int>(capability)};
  }
  const bool ambient_clear = ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == 0;
  const bool bits_locked =
      ::prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                                     SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                                     SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED) == 0;
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2]{};
  return {ambient_clear && bits_locked && ::syscall(SYS_capset, &header, none) == 0 &&
              ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0,
          CellStage::privileges, 0};
}

int filter_calls(std::span<const sock_filter> filter) {
  sock_fprog program{};
  program.len = static_cast<unsigned short>(filter.size());
  program.filter = const_cast<sock_filter*>(filter.data());
  const int listener = os::seccomp_set_filter(SECCOMP_FILTER_FLAG_NEW_LISTENER | os::kSeccompWaitKillable, &program);
  if (listener < 0 && errno == EINVAL) {
    return os::seccomp_set_filter(SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
  }
  return listener;
}

}  // namespace glovebox::engine

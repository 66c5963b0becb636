#include "engine/doctor/host_checks.h"

#include <fcntl.h>
#include <linux/kvm.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>

#include "base/fd.h"
#include "os/calls.h"
#include "os/files.h"

namespace glovebox::engine {
namespace {

using base::Fd;

// Runs `attempt` in a child, so that whatever it changes ends with it. Returns 0, or the errno it reported.
int try_in_child(const std::function<int()>& attempt) {
  const pid_t pid = ::fork();
  if (pid < 0) {
    return errno;
  }
  if (pid == 0) {
    ::_exit(attempt() & 0xff);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

int enter_user_namespace(int more_namespaces) {
  const std::string uid = std::to_string(::geteuid());
  const std::string gid = std::to_string(::getegid());
  if (::unshare(CLONE_NEWUSER | more_namespaces) != 0) {
    return errno;
  }
  if (!os::write_file_at(AT_FDCWD, "/proc/self/setgroups", "deny") ||
      !os::write_file_at(AT_FDCWD, "/proc/self/uid_map", "0 " + uid + " 1") ||
      !os::write_file_at(AT_FDCWD, "/proc/self/gid_map", "0 " + gid + " 1")) {
    return errno != 0 ? errno : EPERM;
  }
  return 0;
}

std::string sysctl(const char* path) {
  std::string value = os::read_file(path).value_or("");
  while (!value.empty() && value.back() == '\n') {
    value.pop_back();
  }
  return value;
}

HostCheck check_kernel() {
  utsname name{};
  ::uname(&name);
  return {"kernel", "kernel", CheckStatus::ok, std::string("Linux ") + name.release + " " + name.machine, ""};
}

HostCheck check_user_namespaces() {
  HostCheck check{"user_namespaces", "user namespaces", CheckStatus::ok, "can be created by this user", ""};
  const int problem = try_in_child([] { return enter_user_namespace(0); });
  if (problem == 0) {
    return check;
  }
  check.status = CheckStatus::missing;
  check.detail = std::string("refused: ") + std::strerror(problem);
  if (sysctl("/proc/sys/kernel/unprivileged_userns_clone") == "0") {
    check.remedy = "sysctl -w kernel.unprivileged_userns_clone=1";
  } else if (sysctl("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1") {
    check.remedy =
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile with `userns,` for glovebox";
  } else if (sysctl("/proc/sys/user/max_user_namespaces") == "0") {
    check.remedy = "sysctl -w user.max_user_namespaces=10000";
  } else {
    check.remedy =
        "allow user namespaces for this user (inside a container: its seccomp profile must permit unshare and clone)";
  }
  return check;
}

HostCheck check_namespaces() {
  HostCheck check{"namespaces", "other namespaces", CheckStatus::ok,
                  "mount, pid, ipc, uts, network and cgroup can be created", ""};
  const int all = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET | CLONE_NEWCGROUP;
  const int problem = try_in_child([] { return enter_user_namespace(all); });
  if (problem != 0) {
    check.status = CheckStatus::missing;
    check.detail = std::string("refused: ") + std::strerror(problem);
    check.remedy = "a kernel with all namespaces, and limits in /proc/sys/user/max_*_namespaces above 0";
  }
  return check;
}

HostCheck check_controller(const char* id, const char* title, const std::optional<os::ControllerPlace>& place,
                           const std::string& directory, const os::CgroupSite& site) {
  HostCheck check{id, title, CheckStatus::ok, "", ""};
  if (!directory.empty()) {
    check.detail = "cgroup v" + std::to_string(place->version) + ", below " + directory;
    return check;
  }
  check.status = CheckStatus::missing;
  check.detail = place ? "cgroup v" + std::to_string(place->version) + " at " + place->directory +
                             " is of no use to us: " + site.reason
                       : "no such controller on this host";
  check.remedy = site.remedy;
  return check;
}

HostCheck check_cpu_time(const os::CgroupSite& site) {
  if (!site.unified.empty()) {
    return {"cgroup_cpu_time", "CPU time", CheckStatus::ok, "cpu.stat, below " + site.unified, ""};
  }
  return check_controller("cgroup_cpu_time", "CPU time", site.layout.cpuacct, site.cpuacct, site);
}

HostCheck check_cgroup_kill(const os::CgroupSite& site) {
  HostCheck check{"cgroup_kill", "cgroup.kill", CheckStatus::ok, "below " + site.unified, ""};
  if (site.unified.empty()) {
    check.status = CheckStatus::optional;
    check.detail = "no usable cgroup2 tree; cells are killed through their pid namespace";
    check.remedy = "mount cgroup2, or run in a delegated scope";
  }
  return check;
}

HostCheck check_landlock() {
  const int abi = os::landlock_abi();
  HostCheck check{"landlock", "landlock", CheckStatus::ok, "ABI " + std::to_string(abi), ""};
  if (abi <= 0) {
    check.status = CheckStatus::missing;
    check.detail = errno == EOPNOTSUPP ? "in the kernel, but switched off" : "not in the kernel";
    check.remedy = "boot with landlock in lsm= (a kernel of 5.13 or newer)";
  }
  return check;
}

HostCheck check_seccomp() {
  seccomp_notif_sizes sizes{};
  HostCheck check{"seccomp_notify", "seccomp with user notification", CheckStatus::ok,
                  "refused calls can be seen from outside", ""};
  if (::syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) != 0) {
    check.status = CheckStatus::missing;
    check.detail = std::string("refused: ") + std::strerror(errno);
    check.remedy = "a kernel of 5.0 or newer with CONFIG_SECCOMP_FILTER";
  }
  return check;
}

HostCheck check_kvm() {
  const Fd kvm(::open("/dev/kvm", O_RDWR | O_CLOEXEC));
  if (!kvm.valid()) {
    return judge_kvm({.open_errno = errno});
  }
  const Fd machine(::ioctl(kvm.get(), KVM_CREATE_VM, 0));
  if (!machine.valid()) {
    return judge_kvm({.create_errno = errno});
  }
  return judge_kvm({.api_version = ::ioctl(kvm.get(), KVM_GET_API_VERSION, 0)});
}

int mount_overlay() {
  if (const int problem = enter_user_namespace(CLONE_NEWNS); problem != 0) {
    return problem;
  }
  if (::mount("none", "/tmp", "tmpfs", 0, nullptr) != 0 || ::mkdir("/tmp/upper", 0700) != 0 ||
      ::mkdir("/tmp/work", 0700) != 0 || ::mkdir("/tmp/lower", 0700) != 0 || ::mkdir("/tmp/merged", 0700) != 0) {
    return errno;
  }
  return ::mount("overlay", "/tmp/merged", "overlay", 0, "lowerdir=/tmp/lower,upperdir=/tmp/upper,workdir=/tmp/work") ==
                 0
             ? 0
             : errno;
}

HostCheck check_overlay() {
  HostCheck check{"overlay", "overlay in a user namespace", CheckStatus::ok, "can be mounted", ""};
  if (const int problem = try_in_child(mount_overlay); problem != 0) {
    check.status = CheckStatus::optional;
    check.detail = std::string("refused: ") + std::strerror(problem);
    check.remedy = "modprobe overlay (a kernel of 5.11 or newer)";
  }
  return check;
}

}  // namespace

HostCheck judge_kvm(const KvmAttempt& attempt) {
  HostCheck check{"kvm", "KVM", CheckStatus::optional, "", ""};
  if (attempt.open_errno == ENOENT) {
    check.detail = "no /dev/kvm";
    check.remedy =
        "modprobe kvm_intel or kvm_amd; in a virtual machine turn nested virtualization on in its host, in a container "
        "pass the device on (--device /dev/kvm)";
  } else if (attempt.open_errno != 0) {
    check.detail = std::string("/dev/kvm: ") + std::strerror(attempt.open_errno);
    check.remedy = attempt.open_errno == EACCES ? "add the user to the group kvm"
                                                : "load the module again: modprobe kvm_intel or kvm_amd";
  } else if (attempt.create_errno != 0) {
    check.detail =
        std::string("/dev/kvm exists, but no machine can be created: ") + std::strerror(attempt.create_errno);
    check.remedy = attempt.create_errno == EBUSY ? "stop the other hypervisor that has the processor's virtualization"
                                                 : "turn virtualization on in the firmware, or in the machine's host";
  } else {
    check.status = CheckStatus::ok;
    check.detail = "a machine can be created (API " + std::to_string(attempt.api_version) +
                   "); whether a guest boots is not tried here";
  }
  return check;
}

std::vector<HostCheck> check_host(const os::CgroupSite& site) {
  return {
      check_kernel(),
      check_user_namespaces(),
      check_namespaces(),
      check_controller("cgroup_memory", "memory limit", site.layout.memory, site.memory, site),
      check_controller("cgroup_pids", "process limit", site.layout.pids, site.pids, site),
      check_controller("cgroup_cpu", "CPU share", site.layout.cpu, site.cpu, site),
      check_cpu_time(site),
      check_cgroup_kill(site),
      check_landlock(),
      check_seccomp(),
      check_kvm(),
      check_overlay(),
  };
}

}  // namespace glovebox::engine

#include "os/seccomp_filter.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

#include "base/fd.h"
#include "os/bpf_evaluator.h"
#include "os/syscall_table.h"

namespace glovebox::os {
namespace {

constexpr std::uint64_t kHighBit = 1ULL << 32U;
constexpr std::uint64_t kAllHigh = 0xffffffffULL << 32U;

const SeccompFilter& default_filter() { return *find_seccomp_filter("default"); }

seccomp_data call(long number, std::initializer_list<std::uint64_t> arguments = {}) {
  seccomp_data data{};
  data.nr = static_cast<int>(number);
  data.arch = AUDIT_ARCH_X86_64;
  std::copy(arguments.begin(), arguments.end(), data.args);
  return data;
}

seccomp_data call(std::string_view name, std::initializer_list<std::uint64_t> arguments = {}) {
  const auto number = syscall_number(name);
  EXPECT_TRUE(number.has_value()) << name;
  return call(number.value_or(-1), arguments);
}

// "allow", "kill", "errno 38" or "observed 1".
std::string verdict(const seccomp_data& data) {
  const auto value = evaluate(default_filter().program, data);
  if (!value) {
    return value.error().message;
  }
  switch (*value & SECCOMP_RET_ACTION_FULL) {
    case SECCOMP_RET_ALLOW:
      return "allow";
    case SECCOMP_RET_KILL_PROCESS:
      return "kill";
    case SECCOMP_RET_ERRNO:
      return "errno " + std::to_string(*value & SECCOMP_RET_DATA);
    case SECCOMP_RET_USER_NOTIF:
      return "observed " + std::to_string(explain_refusal(default_filter(), data).sys_errno);
    default:
      return "unexpected";
  }
}

const std::string kAllowed = "allow";
const std::string kObserved = "observed " + std::to_string(EPERM);
const std::string kMissing = "errno " + std::to_string(ENOSYS);

TEST(SeccompFilter, IsFoundByNameOnly) {
  ASSERT_NE(find_seccomp_filter("default"), nullptr);
  EXPECT_EQ(find_seccomp_filter("default")->name, "default");
  EXPECT_EQ(find_seccomp_filter("default")->key.size(), 64U);
  EXPECT_EQ(find_seccomp_filter("nothing-like-it"), nullptr);
}

TEST(SeccompFilter, AllowsWhatOrdinaryProgramsLiveOn) {
  for (const char* name :
       {"read",   "write",      "openat",    "mmap",       "mprotect",   "futex",        "rseq",  "execve",
        "fork",   "exit_group", "getrandom", "epoll_wait", "membarrier", "memfd_create", "kill",  "inotify_init1",
        "shmget", "chown",      "setuid",    "fchmodat2",  "pkey_alloc", "getpid",       "statx", "pidfd_open"}) {
    EXPECT_EQ(verdict(call(name)), kAllowed) << name;
  }
}

TEST(SeccompFilter, RefusesAndReportsTheDangerousFamilies) {
  for (const char* name : {"mount",
                           "umount2",
                           "pivot_root",
                           "open_tree",
                           "move_mount",
                           "fsopen",
                           "fsconfig",
                           "fsmount",
                           "fspick",
                           "mount_setattr",
                           "open_tree_attr",
                           "statmount",
                           "listmount",
                           "unshare",
                           "setns",
                           "chroot",
                           "ptrace",
                           "process_vm_readv",
                           "process_vm_writev",
                           "kcmp",
                           "pidfd_getfd",
                           "bpf",
                           "perf_event_open",
                           "userfaultfd",
                           "keyctl",
                           "add_key",
                           "request_key",
                           "io_uring_setup",
                           "io_uring_enter",
                           "io_uring_register",
                           "init_module",
                           "finit_module",
                           "delete_module",
                           "kexec_load",
                           "kexec_file_load",
                           "reboot",
                           "swapon",
                           "swapoff",
                           "sethostname",
                           "setdomainname",
                           "settimeofday",
                           "clock_settime",
                           "adjtimex",
                           "clock_adjtime",
                           "iopl",
                           "ioperm",
                           "quotactl",
                           "quotactl_fd",
                           "acct",
                           "name_to_handle_at",
                           "open_by_handle_at",
                           "syslog",
                           "lookup_dcookie",
                           "modify_ldt",
                           "vhangup",
                           "fanotify_init",
                           "fanotify_mark",
                           "memfd_secret",
                           "cachestat",
                           "seccomp",
                           "sched_setattr"}) {
    EXPECT_EQ(verdict(call(name)), kObserved) << name;
    EXPECT_FALSE(explain_refusal(default_filter(), call(name)).reason.empty()) << name;
    EXPECT_FALSE(explain_refusal(default_filter(), call(name)).grant.empty()) << name;
  }
}

TEST(SeccompFilter, AnswersQuietlyWhatLibrariesTryAsAMatterOfCourse) {
  for (const char* name : {"clone3", "mbind", "get_mempolicy", "set_mempolicy", "sync"}) {
    EXPECT_EQ(verdict(call(name)), kMissing) << name;
  }
}

TEST(SeccompFilter, HasNoCallsAboveItsTable) {
  for (const long number : {337L, 400L, 423L, 470L, 512L, 547L, 600L, 0x3fffffffL}) {
    EXPECT_EQ(verdict(call(number)), kMissing) << number;
  }
  EXPECT_EQ(verdict(call(-1)), kMissing) << "programs use syscall(-1) to provoke ENOSYS";
}

TEST(SeccompFilter, KillsForeignArchitecturesAndX32) {
  for (const std::uint32_t architecture :
       std::initializer_list<std::uint32_t>{AUDIT_ARCH_I386, AUDIT_ARCH_AARCH64, 0, 0xffffffff}) {
    for (const long number : {0L, 1L, 39L, 165L, -1L}) {
      seccomp_data data = call(number);
      data.arch = architecture;
      EXPECT_EQ(verdict(data), "kill") << architecture << ' ' << number;
    }
  }
  for (const long number : {0x40000000L, 0x40000001L, 0x40000203L, 0x7fffffffL, -2L}) {
    EXPECT_EQ(verdict(call(number)), "kill") << number;
  }
}

// The kernel takes these arguments as 32-bit (or 16-bit) values, so bits above must not change the verdict: neither
// hide a refused value nor refuse an allowed one.
TEST(SeccompFilter, LooksAtAsManyBitsAsTheKernelDoes) {
  for (const std::uint64_t high : {std::uint64_t{0}, kHighBit, kAllHigh}) {
    for (const char* name : {"socket", "socketpair"}) {
      EXPECT_EQ(verdict(call(name, {high | AF_UNIX, SOCK_STREAM})), kAllowed);
      for (const std::uint64_t family : std::initializer_list<std::uint64_t>{AF_INET, AF_INET6, AF_NETLINK, AF_PACKET,
                                                                             AF_ALG, AF_VSOCK, AF_UNSPEC, 255}) {
        EXPECT_EQ(verdict(call(name, {high | family, SOCK_STREAM})), kObserved) << name << ' ' << family;
      }
    }
    EXPECT_EQ(verdict(call("prctl", {high | PR_SET_NAME})), kAllowed);
    EXPECT_EQ(verdict(call("prctl", {high | PR_SET_SECCOMP})), kObserved);
    EXPECT_EQ(verdict(call("ioctl", {0, high | TCGETS})), kAllowed);
    EXPECT_EQ(verdict(call("ioctl", {0, high | TIOCSTI})), kObserved);
    EXPECT_EQ(verdict(call("ioctl", {0, high | TIOCLINUX})), kObserved);
    EXPECT_EQ(verdict(call("personality", {high | 0xffffffff})), kAllowed);
    EXPECT_EQ(verdict(call("personality", {high | 0x40000})), kObserved);
    EXPECT_EQ(verdict(call("mknod", {0, high | 0xffff0000 | S_IFIFO | 0600})), kAllowed);
    EXPECT_EQ(verdict(call("mknod", {0, high | 0xffff0000 | S_IFCHR | 0600})), kObserved);
  }
}

TEST(SeccompFilter, AllowsThreadsAndProcessesButNoNamespaces) {
  constexpr std::uint64_t kThread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                                    CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
  EXPECT_EQ(verdict(call("clone", {kThread})), kAllowed);
  EXPECT_EQ(verdict(call("clone", {CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID | 17})), kAllowed);
  for (const std::uint64_t flag : std::initializer_list<std::uint64_t>{
           CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET}) {
    EXPECT_EQ(verdict(call("clone", {flag | 17})), kObserved) << flag;
    EXPECT_EQ(verdict(call("clone", {kThread | flag})), kObserved) << flag;
    EXPECT_EQ(verdict(call("clone", {kAllHigh | flag})), kObserved) << flag;
    EXPECT_EQ(verdict(call("clone", {flag << 32U})), kAllowed) << "the kernel drops the high half";
  }
}

TEST(SeccompFilter, MakesPipesAndSocketsButNoDevices) {
  for (const std::uint64_t type : std::initializer_list<std::uint64_t>{0, S_IFREG, S_IFIFO, S_IFSOCK}) {
    EXPECT_EQ(verdict(call("mknod", {0, type | 0644})), kAllowed) << type;
    EXPECT_EQ(verdict(call("mknodat", {0, 0, type | 0644})), kAllowed) << type;
  }
  for (const std::uint64_t type : std::initializer_list<std::uint64_t>{S_IFCHR, S_IFBLK, S_IFDIR, S_IFLNK}) {
    EXPECT_EQ(verdict(call("mknod", {0, type | 0644})), kObserved) << type;
    EXPECT_EQ(verdict(call("mknodat", {0, 0, type | 0644})), kObserved) << type;
  }
}

TEST(SeccompFilter, KeepsTheCoreLimitButLetsItBeRead) {
  constexpr std::uint64_t kCore = 4;
  constexpr std::uint64_t kFiles = 7;
  EXPECT_EQ(verdict(call("prlimit64", {0, kCore, 0, 0x1000})), kAllowed);
  EXPECT_EQ(verdict(call("prlimit64", {0, kCore, 0x1000, 0})), kObserved);
  EXPECT_EQ(verdict(call("prlimit64", {0, kCore, kHighBit, 0})), kObserved) << "a pointer is 64 bits wide";
  EXPECT_EQ(verdict(call("prlimit64", {0, kFiles, 0x1000, 0})), kAllowed);
  EXPECT_EQ(verdict(call("setrlimit", {kCore, 0x1000})), kObserved);
  EXPECT_EQ(verdict(call("setrlimit", {kFiles, 0x1000})), kAllowed);
}

TEST(SeccompFilter, RefusesFilterProgramsOnSockets) {
  EXPECT_EQ(verdict(call("setsockopt", {3, SOL_SOCKET, SO_ATTACH_FILTER})), kObserved);
  EXPECT_EQ(verdict(call("setsockopt", {3, SOL_SOCKET, SO_ATTACH_BPF})), kObserved);
  EXPECT_EQ(verdict(call("setsockopt", {3, SOL_SOCKET, SO_RCVBUF})), kAllowed);
  EXPECT_EQ(verdict(call("setsockopt", {3, 6, SO_ATTACH_FILTER})), kAllowed) << "another level, another meaning";
}

TEST(SeccompFilter, GivesUnknownRequestsTheAnswerOfAnOlderKernel) {
  EXPECT_EQ(verdict(call("ioctl", {0, 0x12345678})), "errno " + std::to_string(ENOTTY));
  EXPECT_EQ(verdict(call("prctl", {0x12345678})), "errno " + std::to_string(EINVAL));
  EXPECT_EQ(verdict(call("arch_prctl", {0x2001})), "errno " + std::to_string(EINVAL));
  EXPECT_EQ(verdict(call("arch_prctl", {0x1002})), kAllowed);
}

TEST(SeccompFilter, SchedulesFairly) {
  for (const std::uint64_t policy : std::initializer_list<std::uint64_t>{SCHED_OTHER, SCHED_BATCH, SCHED_IDLE}) {
    EXPECT_EQ(verdict(call("sched_setscheduler", {0, policy})), kAllowed);
    EXPECT_EQ(verdict(call("sched_setscheduler", {0, policy | 0x40000000})), kAllowed);
  }
  for (const std::uint64_t policy : std::initializer_list<std::uint64_t>{SCHED_FIFO, SCHED_RR, 6}) {
    EXPECT_EQ(verdict(call("sched_setscheduler", {0, policy})), kObserved);
    EXPECT_EQ(verdict(call("sched_setscheduler", {0, policy | 0x40000000})), kObserved);
  }
}

TEST(SeccompFilter, ExplainsARefusalWithItsRuleReasonAndGrant) {
  const Refusal socket = explain_refusal(default_filter(), call("socket", {AF_INET, SOCK_STREAM}));
  EXPECT_EQ(socket.rule, "network-off");
  EXPECT_EQ(socket.reason, "network is off");
  EXPECT_TRUE(socket.grant.starts_with("nothing yet")) << socket.grant;
  for (const unsigned family : {unsigned{AF_NETLINK}, unsigned{AF_PACKET}, unsigned{AF_ALG}, unsigned{AF_VSOCK}}) {
    const Refusal other = explain_refusal(default_filter(), call("socket", {family, SOCK_RAW}));
    EXPECT_EQ(other.rule, "other-sockets");
    EXPECT_EQ(other.grant.find("network.allow"), std::string_view::npos) << "which would not allow it";
    EXPECT_EQ(other.sys_errno, EPERM);
  }
  EXPECT_EQ(socket.sys_errno, EPERM);
  EXPECT_EQ(explain_refusal(default_filter(), call("io_setup")).sys_errno, ENOSYS);
  EXPECT_EQ(explain_refusal(default_filter(), call("clone3")).rule, "clone3");
  EXPECT_EQ(explain_refusal(default_filter(), call("ioctl", {0, 1})).rule, "other-requests");
  EXPECT_EQ(explain_refusal(default_filter(), call(9999)).rule, "unknown-call");
}

TEST(SeccompFilter, ExplainsNothingAsAnErrorRatherThanAsSuccess) {
  const Refusal allowed = explain_refusal(default_filter(), call("getpid"));
  EXPECT_EQ(allowed.rule, "unexplained");
  EXPECT_EQ(allowed.sys_errno, EPERM);
}

// What the child tried, as the bits of its exit status.
enum Step { kGetpidWorked = 1, kMountRefused = 2, kSocketRefused = 4, kClone3Missing = 8, kNumberMissing = 16 };

[[noreturn]] void filtered_child(int report) {
  const sock_filter* code = default_filter().program.data();
  sock_fprog program{static_cast<unsigned short>(default_filter().program.size()), const_cast<sock_filter*>(code)};
  int status = -1;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
    status =
        static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
  }
  if (::write(report, &status, sizeof(status)) != sizeof(status) || status < 0) {
    ::_exit(0x80);
  }
  int done = 0;
  done |= ::syscall(SYS_getpid) > 0 ? kGetpidWorked : 0;
  done |= ::mount("none", "/tmp", "tmpfs", 0, nullptr) == -1 && errno == EPERM ? kMountRefused : 0;
  done |= ::socket(AF_INET, SOCK_STREAM, 0) == -1 && errno == EPERM ? kSocketRefused : 0;
  done |= ::syscall(SYS_clone3, nullptr, 0) == -1 && errno == ENOSYS ? kClone3Missing : 0;
  done |= ::syscall(-1) == -1 && errno == ENOSYS ? kNumberMissing : 0;
  ::_exit(done);
}

TEST(SeccompFilter, WorksInTheKernelWithAListener) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const base::Fd reader(ends[0]);
  base::Fd writer(ends[1]);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    filtered_child(writer.get());
  }
  writer.reset();
  int listener_in_child = -1;
  ASSERT_EQ(::read(reader.get(), &listener_in_child, sizeof(listener_in_child)),
            static_cast<ssize_t>(sizeof(listener_in_child)));
  if (listener_in_child < 0) {
    ::waitpid(child, nullptr, 0);
    GTEST_SKIP() << "missing capability: seccomp filters with user notification";
  }
  const base::Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  ASSERT_TRUE(pidfd.valid());
  const base::Fd listener(static_cast<int>(::syscall(SYS_pidfd_getfd, pidfd.get(), listener_in_child, 0)));
  ASSERT_TRUE(listener.valid());

  std::vector<std::string_view> rules;
  while (true) {
    pollfd waiting[] = {{listener.get(), POLLIN, 0}, {pidfd.get(), POLLIN, 0}};
    ASSERT_GT(::poll(waiting, 2, 5000), 0);
    if ((waiting[0].revents & POLLIN) == 0) {
      break;
    }
    seccomp_notif notification{};
    ASSERT_EQ(::ioctl(listener.get(), SECCOMP_IOCTL_NOTIF_RECV, &notification), 0);
    const Refusal refusal = explain_refusal(default_filter(), notification.data);
    rules.push_back(refusal.rule);
    seccomp_notif_resp answer{};
    answer.id = notification.id;
    answer.error = -refusal.sys_errno;
    ASSERT_EQ(::ioctl(listener.get(), SECCOMP_IOCTL_NOTIF_SEND, &answer), 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), kGetpidWorked | kMountRefused | kSocketRefused | kClone3Missing | kNumberMissing);
  EXPECT_EQ(rules, (std::vector<std::string_view>{"mounts", "network-off"}));
}

}  // namespace
}  // namespace glovebox::os

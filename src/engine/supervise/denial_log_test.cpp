#include "engine/supervise/denial_log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/keyctl.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <initializer_list>
#include <string_view>

#include "engine/supervise/call_text.h"
#include "os/syscall_table.h"

namespace glovebox::engine {
namespace {

seccomp_data call(std::string_view name, std::initializer_list<std::uint64_t> arguments = {}) {
  seccomp_data data{};
  data.nr = os::syscall_number(name).value_or(-1);
  data.arch = AUDIT_ARCH_X86_64;
  std::copy(arguments.begin(), arguments.end(), data.args);
  return data;
}

DenialLog new_log() { return DenialLog(*os::find_seccomp_filter("default")); }

TEST(CallText, WritesCallsAsAPersonWould) {
  EXPECT_EQ(call_text(call("socket", {AF_INET, SOCK_STREAM})), "socket(AF_INET, SOCK_STREAM)");
  EXPECT_EQ(call_text(call("socket", {AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC})), "socket(AF_NETLINK, SOCK_RAW)");
  EXPECT_EQ(call_text(call("socketpair", {AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK})), "socketpair(AF_INET6, SOCK_DGRAM)");
  EXPECT_EQ(call_text(call("clone", {CLONE_NEWUSER | CLONE_VM | 17})), "clone(CLONE_NEWUSER)");
  EXPECT_EQ(call_text(call("unshare", {CLONE_NEWUSER | CLONE_NEWNS})), "unshare(CLONE_NEWUSER|CLONE_NEWNS)");
  EXPECT_EQ(call_text(call("unshare", {CLONE_NEWNS | 1})), "unshare(CLONE_NEWNS|0x1)");
  EXPECT_EQ(call_text(call("unshare", {0})), "unshare(0x0)");
  EXPECT_EQ(call_text(call("ptrace", {PTRACE_ATTACH, 1})), "ptrace(PTRACE_ATTACH)");
  EXPECT_EQ(call_text(call("bpf", {BPF_PROG_LOAD})), "bpf(BPF_PROG_LOAD)");
  EXPECT_EQ(call_text(call("keyctl", {KEYCTL_READ})), "keyctl(KEYCTL_READ)");
  EXPECT_EQ(call_text(call("prctl", {PR_SET_SECCOMP})), "prctl(PR_SET_SECCOMP)");
  EXPECT_EQ(call_text(call("ioctl", {0, TIOCSTI})), "ioctl(TIOCSTI)");
  EXPECT_EQ(call_text(call("mknod", {0, S_IFCHR | 0666})), "mknod(S_IFCHR)");
  EXPECT_EQ(call_text(call("mknodat", {0, 0, S_IFBLK | 0666})), "mknodat(S_IFBLK)");
  EXPECT_EQ(call_text(call("personality", {0x40000})), "personality(0x40000)");
  EXPECT_EQ(call_text(call("setrlimit", {4})), "setrlimit(RLIMIT_CORE)");
  EXPECT_EQ(call_text(call("mount", {0x7fff0000, 0x7fff1000})), "mount()");
}

TEST(CallText, WritesUnknownValuesAsNumbers) {
  EXPECT_EQ(call_text(call("socket", {77, 9})), "socket(0x4d, 0x9)");
  EXPECT_EQ(call_text(call("ptrace", {0xffffffff})), "ptrace(0xffffffff)");
  seccomp_data unknown{};
  unknown.nr = 4711;
  EXPECT_EQ(call_text(unknown), "system call 4711");
}

TEST(CallText, IgnoresBitsThatTheKernelDrops) {
  EXPECT_EQ(call_text(call("socket", {AF_INET | 1ULL << 32U, SOCK_STREAM | 1ULL << 40U})),
            "socket(AF_INET, SOCK_STREAM)");
}

TEST(DenialLog, SaysWhatWhyAndWhichGrantWouldAllowIt) {
  DenialLog log = new_log();
  EXPECT_EQ(log.record(call("socket", {AF_INET, SOCK_STREAM})), EPERM);
  const contract::Denial expected{
      .what = "socket(AF_INET, SOCK_STREAM)",
      .target = "network is off",
      .layer = "seccomp",
      .grant = "nothing yet: this build has no network broker and refuses network.allow; pass the data as files",
      .count = 1};
  EXPECT_EQ(log.list(), std::vector{expected});
}

TEST(DenialLog, AnswersWithTheErrnoOfTheRule) {
  DenialLog log = new_log();
  EXPECT_EQ(log.record(call("mount")), EPERM);
  EXPECT_EQ(log.record(call("io_setup")), ENOSYS);
}

TEST(DenialLog, NeverAnswersThatARefusedCallWorked) {
  DenialLog log = new_log();
  EXPECT_EQ(log.record(call("getpid")), EPERM);
  seccomp_data foreign = call("mount");
  foreign.arch = AUDIT_ARCH_I386;
  EXPECT_EQ(log.record(foreign), EPERM);
}

TEST(DenialLog, CountsEqualCallsInOrderOfFirstAppearance) {
  DenialLog log = new_log();
  for (const seccomp_data& data : {call("mount"), call("ptrace", {PTRACE_ATTACH}), call("mount"), call("mount")}) {
    EXPECT_EQ(log.record(data), EPERM);
  }
  const auto list = log.list();
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].what, "mount()");
  EXPECT_EQ(list[0].count, 3U);
  EXPECT_EQ(list[1].what, "ptrace(PTRACE_ATTACH)");
  EXPECT_EQ(list[1].count, 1U);
  EXPECT_EQ(log.total(), 4U);
}

TEST(DenialLog, SumsUpWhatIsTooMuchToList) {
  DenialLog log = new_log();
  for (std::uint64_t family = 100; family < 1100; ++family) {
    EXPECT_EQ(log.record(call("socket", {family, SOCK_STREAM})), EPERM);
  }
  EXPECT_EQ(log.record(call("socket", {100, SOCK_STREAM})), EPERM);
  const auto list = log.list();
  ASSERT_EQ(list.size(), DenialLog::kMaxEntries + 1);
  EXPECT_EQ(list.front().count, 2U);
  EXPECT_EQ(list.back().what, "other refused calls");
  EXPECT_EQ(list.back().count, 1000 - DenialLog::kMaxEntries);
  EXPECT_EQ(log.total(), 1001U);
}

TEST(DenialLog, IsEmptyWhenNothingWasRefused) {
  EXPECT_TRUE(new_log().list().empty());
  EXPECT_EQ(new_log().total(), 0U);
}

}  // namespace
}  // namespace glovebox::engine

#include "engine/supervise/call_text.h"

#include <linux/bpf.h>
#include <linux/keyctl.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cstdint>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "os/syscall_table.h"

namespace glovebox::engine {

namespace {

struct Name {
  std::uint32_t value;
  std::string_view text;
};

#define GLOVEBOX_NAME(constant) \
  Name { static_cast<std::uint32_t>(constant), #constant }

constexpr Name kFamilies[] = {
    GLOVEBOX_NAME(AF_INET),      GLOVEBOX_NAME(AF_INET6), GLOVEBOX_NAME(AF_NETLINK), GLOVEBOX_NAME(AF_PACKET),
    GLOVEBOX_NAME(AF_ALG),       GLOVEBOX_NAME(AF_VSOCK), GLOVEBOX_NAME(AF_KEY),     GLOVEBOX_NAME(AF_BLUETOOTH),
    GLOVEBOX_NAME(AF_CAN),       GLOVEBOX_NAME(AF_TIPC),  GLOVEBOX_NAME(AF_XDP),     GLOVEBOX_NAME(AF_SMC),
    GLOVEBOX_NAME(AF_RDS),       GLOVEBOX_NAME(AF_KCM),   GLOVEBOX_NAME(AF_QIPCRTR), GLOVEBOX_NAME(AF_PPPOX),
    GLOVEBOX_NAME(AF_APPLETALK), GLOVEBOX_NAME(AF_IPX),   GLOVEBOX_NAME(AF_X25),     GLOVEBOX_NAME(AF_UNSPEC),
};
constexpr Name kSocketTypes[] = {
    GLOVEBOX_NAME(SOCK_STREAM),    GLOVEBOX_NAME(SOCK_DGRAM), GLOVEBOX_NAME(SOCK_RAW),
    GLOVEBOX_NAME(SOCK_SEQPACKET), GLOVEBOX_NAME(SOCK_RDM),   GLOVEBOX_NAME(SOCK_PACKET),
};
constexpr Name kSocketOptions[] = {
    GLOVEBOX_NAME(SO_ATTACH_FILTER),
    GLOVEBOX_NAME(SO_ATTACH_BPF),
    GLOVEBOX_NAME(SO_ATTACH_REUSEPORT_CBPF),
    GLOVEBOX_NAME(SO_ATTACH_REUSEPORT_EBPF),
};
constexpr Name kNamespaces[] = {
    GLOVEBOX_NAME(CLONE_NEWUSER),   GLOVEBOX_NAME(CLONE_NEWNS),  GLOVEBOX_NAME(CLONE_NEWPID),
    GLOVEBOX_NAME(CLONE_NEWNET),    GLOVEBOX_NAME(CLONE_NEWIPC), GLOVEBOX_NAME(CLONE_NEWUTS),
    GLOVEBOX_NAME(CLONE_NEWCGROUP),
};
// unshare and setns also know NEWTIME; in clone those bits are the exit signal.
constexpr Name kUnshareFlags[] = {
    GLOVEBOX_NAME(CLONE_NEWUSER), GLOVEBOX_NAME(CLONE_NEWNS),     GLOVEBOX_NAME(CLONE_NEWPID),
    GLOVEBOX_NAME(CLONE_NEWNET),  GLOVEBOX_NAME(CLONE_NEWIPC),    GLOVEBOX_NAME(CLONE_NEWUTS),
    GLOVEBOX_NAME(CLONE_NEWTIME), GLOVEBOX_NAME(CLONE_FS),        GLOVEBOX_NAME(CLONE_FILES),
    GLOVEBOX_NAME(CLONE_SYSVSEM), GLOVEBOX_NAME(CLONE_NEWCGROUP),
};
constexpr Name kPtraceRequests[] = {
    GLOVEBOX_NAME(PTRACE_TRACEME),   GLOVEBOX_NAME(PTRACE_PEEKTEXT),   GLOVEBOX_NAME(PTRACE_PEEKDATA),
    GLOVEBOX_NAME(PTRACE_PEEKUSR),   GLOVEBOX_NAME(PTRACE_POKETEXT),   GLOVEBOX_NAME(PTRACE_POKEDATA),
    GLOVEBOX_NAME(PTRACE_POKEUSR),   GLOVEBOX_NAME(PTRACE_CONT),       GLOVEBOX_NAME(PTRACE_KILL),
    GLOVEBOX_NAME(PTRACE_ATTACH),    GLOVEBOX_NAME(PTRACE_DETACH),     GLOVEBOX_NAME(PTRACE_SYSCALL),
    GLOVEBOX_NAME(PTRACE_SEIZE),     GLOVEBOX_NAME(PTRACE_SETOPTIONS), GLOVEBOX_NAME(PTRACE_GETREGSET),
    GLOVEBOX_NAME(PTRACE_SETREGSET),
};
constexpr Name kBpfCommands[] = {
    GLOVEBOX_NAME(BPF_MAP_CREATE),      GLOVEBOX_NAME(BPF_MAP_LOOKUP_ELEM), GLOVEBOX_NAME(BPF_MAP_UPDATE_ELEM),
    GLOVEBOX_NAME(BPF_MAP_DELETE_ELEM), GLOVEBOX_NAME(BPF_PROG_LOAD),       GLOVEBOX_NAME(BPF_OBJ_PIN),
    GLOVEBOX_NAME(BPF_OBJ_GET),         GLOVEBOX_NAME(BPF_PROG_ATTACH),     GLOVEBOX_NAME(BPF_PROG_TEST_RUN),
    GLOVEBOX_NAME(BPF_BTF_LOAD),        GLOVEBOX_NAME(BPF_LINK_CREATE),
};
constexpr Name kKeyctlOperations[] = {
    GLOVEBOX_NAME(KEYCTL_GET_KEYRING_ID),
    GLOVEBOX_NAME(KEYCTL_JOIN_SESSION_KEYRING),
    GLOVEBOX_NAME(KEYCTL_UPDATE),
    GLOVEBOX_NAME(KEYCTL_REVOKE),
    GLOVEBOX_NAME(KEYCTL_CHOWN),
    GLOVEBOX_NAME(KEYCTL_SETPERM),
    GLOVEBOX_NAME(KEYCTL_DESCRIBE),
    GLOVEBOX_NAME(KEYCTL_CLEAR),
    GLOVEBOX_NAME(KEYCTL_LINK),
    GLOVEBOX_NAME(KEYCTL_UNLINK),
    GLOVEBOX_NAME(KEYCTL_SEARCH),
    GLOVEBOX_NAME(KEYCTL_READ),
    GLOVEBOX_NAME(KEYCTL_INSTANTIATE),
    GLOVEBOX_NAME(KEYCTL_NEGATE),
    GLOVEBOX_NAME(KEYCTL_INVALIDATE),
    GLOVEBOX_NAME(KEYCTL_GET_PERSISTENT),
    GLOVEBOX_NAME(KEYCTL_RESTRICT_KEYRING),
};
// PR_SET_MEMORY_MERGE is newer than the headers.
constexpr Name kProcessSettings[] = {
    GLOVEBOX_NAME(PR_SET_SECCOMP),          GLOVEBOX_NAME(PR_SET_MM),         GLOVEBOX_NAME(PR_CAPBSET_DROP),
    GLOVEBOX_NAME(PR_SET_SPECULATION_CTRL), GLOVEBOX_NAME(PR_SET_SECUREBITS), Name{67, "PR_SET_MEMORY_MERGE"},
};
constexpr Name kRequests[] = {
    GLOVEBOX_NAME(TIOCSTI),
    GLOVEBOX_NAME(TIOCLINUX),
    GLOVEBOX_NAME(TIOCSETD),
    GLOVEBOX_NAME(TIOCCONS),
};
constexpr Name kFileTypes[] = {
    GLOVEBOX_NAME(S_IFCHR),
    GLOVEBOX_NAME(S_IFBLK),
    GLOVEBOX_NAME(S_IFDIR),
    GLOVEBOX_NAME(S_IFLNK),
};
constexpr Name kPolicies[] = {
    GLOVEBOX_NAME(SCHED_FIFO),
    GLOVEBOX_NAME(SCHED_RR),
    GLOVEBOX_NAME(SCHED_DEADLINE),
};
constexpr Name kSeccompOperations[] = {
    GLOVEBOX_NAME(SECCOMP_SET_MODE_STRICT),
    GLOVEBOX_NAME(SECCOMP_SET_MODE_FILTER),
    GLOVEBOX_NAME(SECCOMP_GET_ACTION_AVAIL),
    GLOVEBOX_NAME(SECCOMP_GET_NOTIF_SIZES),
};
// The one limit that is refused.
constexpr Name kResources[] = {Name{4, "RLIMIT_CORE"}};

#undef GLOVEBOX_NAME

std::string one_of(std::span<const Name> names, std::uint32_t value) {
  for (const Name& name : names) {
    if (name.value == value) {
      return std::string(name.text);
    }
  }
  return fmt::format("{:#x}", value);
}

// Known flags by name, what is left over as a number.
std::string flags_of(std::span<const Name> names, std::uint32_t value) {
  std::string out;
  const auto add = [&](std::string_view text) {
    out += out.empty() ? "" : "|";
    out += text;
  };
  std::uint32_t rest = value;
  for (const Name& name : names) {
    if ((rest & name.value) == name.value) {
      add(name.text);
      rest &= ~name.value;
    }
  }
  if (rest != 0 || out.empty()) {
    add(fmt::format("{:#x}", rest));
  }
  return out;
}

// How one argument of a call is written.
enum class Form { value, flags };

struct Shape {
  std::string_view call;
  int argument;
  Form form;
  std::span<const Name> names;
  std::uint32_t mask = ~0U;  // the bits that matter
};

constexpr std::uint32_t kCloneNamespaces =
    CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;

constexpr Shape kShapes[] = {
    {"clone", 0, Form::flags, kNamespaces, kCloneNamespaces},
    {"unshare", 0, Form::flags, kUnshareFlags},
    {"setns", 1, Form::flags, kUnshareFlags},
    {"ptrace", 0, Form::value, kPtraceRequests},
    {"bpf", 0, Form::value, kBpfCommands},
    {"keyctl", 0, Form::value, kKeyctlOperations},
    {"prctl", 0, Form::value, kProcessSettings},
    {"ioctl", 1, Form::value, kRequests},
    {"mknod", 1, Form::value, kFileTypes, S_IFMT},
    {"mknodat", 2, Form::value, kFileTypes, S_IFMT},
    {"personality", 0, Form::value, {}},
    {"sched_setscheduler", 1, Form::value, kPolicies, ~0x40000000U},
    {"seccomp", 0, Form::value, kSeccompOperations},
    {"setsockopt", 2, Form::value, kSocketOptions},
    {"setrlimit", 0, Form::value, kResources},
    {"prlimit64", 1, Form::value, kResources},
};

std::uint32_t low(const seccomp_data& data, int argument) { return static_cast<std::uint32_t>(data.args[argument]); }

}  // namespace

std::string call_text(const seccomp_data& data) {
  const std::string_view name = os::syscall_name(data.nr);
  if (name.empty()) {
    return fmt::format("system call {}", data.nr);
  }
  if (name == "socket" || name == "socketpair") {
    constexpr std::uint32_t kTypeBits = 0xf;  // the rest is SOCK_CLOEXEC and SOCK_NONBLOCK
    return fmt::format("{}({}, {})", name, one_of(kFamilies, low(data, 0)),
                       one_of(kSocketTypes, low(data, 1) & kTypeBits));
  }
  for (const Shape& shape : kShapes) {
    if (shape.call == name) {
      const std::uint32_t value = low(data, shape.argument) & shape.mask;
      return fmt::format("{}({})", name,
                         shape.form == Form::flags ? flags_of(shape.names, value) : one_of(shape.names, value));
    }
  }
  return fmt::format("{}()", name);
}

}  // namespace glovebox::engine

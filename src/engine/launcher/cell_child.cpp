#include "engine/launcher/cell_child.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "engine/launcher/cell_landlock.h"
#include "engine/launcher/cell_reporter.h"
#include "engine/launcher/cell_root.h"
#include "engine/launcher/launcher.h"
#include "os/calls.h"
#include "os/packets.h"

namespace glovebox::engine {
namespace {

std::uint64_t now_us() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000U + static_cast<std::uint64_t>(now.tv_nsec) / 1000U;
}

class Cell {
 public:
  explicit Cell(const CellPlan& plan)
      : plan_(plan), spec_(*plan.spec), reporter_(plan.fds.socket), root_(plan, reporter_), born_us_(now_us()) {}

  [[noreturn]] void run() {
    await_identity();
    take_identity(spec_.uid, spec_.gid);
    join_cgroups();
    limit_kernel_objects();
    root_.build();
    root_us_ = now_us() - born_us_;
    name_host();
    reporter_.require(set_rlimits(spec_.rlimits));
    if (spec_.deterministic) {
      reporter_.require(make_repeatable());
    }
    reporter_.require(drop_privileges());
    if (spec_.role == CellRole::adopting) {
      // No landlock: the few calls that are left open no file. The child that enters brings landlock for itself.
      open_door();
      restrict_own_calls();
      announce_sealed(-1);
    } else {
      restrict_files();
      const int listener = filter_calls(plan_.filter);
      require(listener >= 0, CellStage::seccomp);
      announce_sealed(listener);
    }
    switch (spec_.role) {
      case CellRole::program:
        await_go();
        start_program();
        break;
      case CellRole::started:
        expect_keeper();
        start_program();
        await_go();
        meet_keeper();
        break;
      default:
        keep_only_socket();
        await_go();  // the child is in
        close_door();
        await_go();
    }
    reap();
  }

  [[noreturn]] void run_zygote() {
    write_tasks();  // no cgroup namespace: it would keep its children from being born outside of it
    require(::prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP | SECBIT_NOROOT) == 0, CellStage::privileges);
    take_identity(spec_.uid, spec_.gid);
    root_.build();
    name_host();
    reporter_.require(set_rlimits(spec_.rlimits));
    await_go();
    keep_zygote_privileges();
    execute();
  }

  int enter_nursery() {
    await_identity();
    // The last of its users is its own and that of its zygotes; the others are for cells.
    take_identity(spec_.uid + spec_.id_count - 1, spec_.gid + spec_.id_count - 1);
    // Or the id maps of its children would belong to the host's root.
    require(::prctl(PR_SET_DUMPABLE, 1) == 0, CellStage::identity);
    const int proc = detached_proc();
    write_tasks();
    root_.build();
    name_host();
    use_up_low_numbers();
    // The launcher's places: nothing at 0 to 2, the socket at 3, the process file system after it.
    const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    const int socket_copy = ::fcntl(plan_.fds.socket, F_DUPFD_CLOEXEC, 16);
    const int proc_copy = ::fcntl(proc, F_DUPFD_CLOEXEC, 16);
    require(nothing >= 0 && socket_copy >= 0 && proc_copy >= 0, CellStage::pivot);
    for (int place = 0; place < kLauncherSocket; ++place) {
      ::dup3(nothing, place, O_CLOEXEC);
    }
    ::dup3(socket_copy, kLauncherSocket, O_CLOEXEC);
    ::dup3(proc_copy, kLauncherSocket + 1, O_CLOEXEC);
    os::close_range(kLauncherSocket + 2, ~0U, 0);
    CellMessage message;
    message.kind = CellMessageKind::sealed;
    message.stage = CellStage::pivot;
    message.detail = root_.image_covered() ? 1 : 0;
    require(os::send_packet(kLauncherSocket, &message, sizeof(message)) == 0, CellStage::pivot);
    return kLauncherSocket + 1;
  }

 private:
  void require(bool done, CellStage stage, int detail = 0) const { reporter_.require(done, stage, detail); }

  void await_identity() {
    char byte = 0;
    require(::read(plan_.fds.identity, &byte, 1) == 1, CellStage::identity);
  }

  // Becomes a user of the new namespace. The capabilities inside it stay until drop_privileges(): user id 0 is not
  // mapped in a cell, so changing ids does not clear them.
  void take_identity(uid_t uid, gid_t gid) {
    if (plan_.drop_groups) {
      require(::setgroups(0, nullptr) == 0, CellStage::identity);
    }
    require(::setresgid(gid, gid, gid) == 0, CellStage::identity);
    require(::setresuid(uid, uid, uid) == 0, CellStage::identity);
    // A launcher that dies takes its cells along.
    require(::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0, CellStage::identity);
    require(::prctl(PR_SET_DUMPABLE, 0) == 0, CellStage::identity);
    identity_us_ = now_us() - born_us_;
  }

  void write_tasks() {
    for (const int tasks : plan_.fds.tasks) {
      require(::write(tasks, "0", 1) == 1, CellStage::cgroups);
    }
  }

  void join_cgroups() {
    write_tasks();
    // Only now: the root of the new cgroup namespace is the group that we are in.
    require(::unshare(CLONE_NEWCGROUP) == 0, CellStage::cgroups);
  }

  // The program of a cell is process 3 of its namespace, always. Libraries that notice a fork by a changed number would
  // miss the one out of a zygote that has the same.
  void use_up_low_numbers() {
    for (int count = 0; count < 8; ++count) {
      if (::vfork() == 0) {
        ::_exit(0);
      }
    }
  }

  // All of procfs, for our own process namespace, at no place in the tree: for the id maps and limits of cells.
  int detached_proc() {
    const int fs = os::fsopen("proc", FSOPEN_CLOEXEC);
    require(fs >= 0 && os::fsconfig_create(fs) == 0, CellStage::root_entries);
    const int mount = os::fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
    require(mount >= 0, CellStage::root_entries);
    ::close(fs);
    return mount;
  }

  // Kernel objects that are counted per user of the host, not per cell: without these one cell could use up all that
  // its owner has. They are limits of our own user namespace; a second wall against nesting comes with them. Older
  // kernels lack some of the files.
  void limit_kernel_objects() {
    struct Quota {
      const char* path;
      const char* value;
    };
    for (const Quota& quota :
         {Quota{"sys/user/max_inotify_instances", "16"}, Quota{"sys/user/max_inotify_watches", "4096"},
          Quota{"sys/user/max_user_namespaces", "0"}}) {
      const int fd = ::openat(plan_.proc, quota.path, O_WRONLY | O_CLOEXEC);
      if (fd < 0) {
        require(errno == ENOENT, CellStage::identity);
        continue;
      }
      require(::write(fd, quota.value, std::strlen(quota.value)) > 0, CellStage::identity);
      ::close(fd);
    }
  }

  void name_host() {
    require(::sethostname(spec_.hostname.data(), spec_.hostname.size()) == 0, CellStage::hostname);
    require(::setdomainname("", 0) == 0, CellStage::hostname);
  }

  void restrict_files() {
    if (spec_.landlock_abi > 0) {
      require(restrict_with_landlock(spec_.landlock_abi), CellStage::landlock);
    }
  }

  void announce_sealed(int listener) {
    CellMessage message;
    message.kind = CellMessageKind::sealed;
    message.stage = CellStage::seccomp;
    message.identity_us = identity_us_;
    message.root_us = root_us_;
    message.sealed_at_us = now_us();
    message.sealed_us = message.sealed_at_us - born_us_;
    message.detail = root_.image_covered() ? 1 : 0;
    const std::span<const int> fds(&listener, listener >= 0 ? 1 : 0);
    require(os::send_packet(plan_.fds.socket, &message, sizeof(message), fds) == 0, CellStage::seccomp);
    if (listener >= 0) {
      ::close(listener);
    }
  }

  // A child that enters brings the program's filter. We never execute anything, and need a dozen calls until our end.
  void restrict_own_calls() {
    constexpr std::array<std::uint32_t, 13> kNeeded = {
        SYS_recvmsg,   SYS_sendmsg,    SYS_wait4, SYS_rt_sigtimedwait, SYS_kill, SYS_clock_gettime,
        SYS_getrusage, SYS_exit_group, SYS_exit,  SYS_rt_sigreturn,    SYS_dup2, SYS_close_range,
        SYS_prctl};
    std::array<sock_filter, 5 + kNeeded.size() + 2> program{};
    std::size_t at = 0;
    program[at++] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
    program[at++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
    program[at++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    program[at++] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
    for (std::size_t index = 0; index < kNeeded.size(); ++index) {
      const auto to_allow = static_cast<std::uint8_t>(kNeeded.size() - index);
      program[at++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kNeeded[index], to_allow, 0);
    }
    program[at++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    program[at++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    sock_fprog all{};
    all.len = static_cast<unsigned short>(at);
    all.filter = program.data();
    require(os::seccomp_set_filter(0, &all) == 0, CellStage::seccomp);
  }

  // The zygote's child enters our namespaces through us, which takes the right to look at us. Nothing foreign runs in
  // here before the door is closed again.
  void open_door() {
    watch_children();  // before anybody can enter: the child may be born, live and die before we run again
    program_ = kFirstProgram;
    require(::prctl(PR_SET_DUMPABLE, 1) == 0, CellStage::privileges);
  }
  // The program is not sent before this is heard, so it never finds the door open.
  void close_door() {
    require(::prctl(PR_SET_DUMPABLE, 0) == 0, CellStage::privileges);
    CellMessage message;
    message.kind = CellMessageKind::sealed;
    message.stage = CellStage::privileges;
    require(os::send_packet(socket(), &message, sizeof(message)) == 0, CellStage::privileges);
  }

  void await_go() {
    CellGo go;
    os::ReceivedFds none;
    const ssize_t size = os::receive_packet(socket(), &go, sizeof(go), none);
    if (size != static_cast<ssize_t>(sizeof(go))) {
      ::_exit(0);  // the supervisor is gone or changed its mind
    }
    last_us_ = now_us() + go.latest_end_ms * 1000U;
  }

  void watch_children() {
    ::signal(SIGCHLD, SIG_DFL);  // the launcher lets its children go unwaited for; we wait for ours
    ::sigemptyset(&child_signal_);
    ::sigaddset(&child_signal_, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &child_signal_, nullptr);  // taken by sigtimedwait; the program starts with an empty mask
  }

  void start_program() {
    watch_children();
    program_ = ::vfork();  // no page tables to copy: the child only executes, or reports and ends
    require(program_ >= 0, CellStage::fork);
    if (program_ == 0) {
      execute();
    }
    keep_only_socket();
  }

  [[noreturn]] void execute() {
    require(::setsid() >= 0, CellStage::exec);
    for (int signal = 1; signal < NSIG; ++signal) {
      ::signal(signal, SIG_DFL);  // fails for SIGKILL, SIGSTOP and two of glibc's own
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    require(::dup2(plan_.fds.standard_input, 0) == 0 && ::dup2(plan_.fds.standard_output, 1) == 1 &&
                ::dup2(plan_.fds.standard_error, 2) == 2,
            CellStage::exec);
    unsigned first_private = 3;
    if (has_channel(spec_.role)) {
      // A failed exec is still reported: the socket has to stay out of the way of the channel's place.
      socket_copy_ = ::fcntl(plan_.fds.socket, F_DUPFD_CLOEXEC, kChannelFd + 1);
      require(socket_copy_ >= 0 && ::dup2(plan_.fds.channel, kChannelFd) == kChannelFd &&
                  ::fcntl(kChannelFd, F_SETFD, 0) == 0,
              CellStage::exec);
      first_private = kChannelFd + 1;
    }
    require(os::close_range(first_private, ~0U, CLOSE_RANGE_CLOEXEC) == 0, CellStage::exec);
    ::execve(plan_.argv[0], const_cast<char* const*>(plan_.argv), const_cast<char* const*>(plan_.env));
    CellReporter(socket_copy_ >= 0 ? socket_copy_ : plan_.fds.socket).fail(CellStage::exec);
  }

  [[nodiscard]] int socket() const { return alone_ ? 0 : plan_.fds.socket; }
  void keep_only_socket() {
    ::dup2(plan_.fds.socket, 0);
    os::close_range(1, ~0U, 0);
    alone_ = true;
    reporter_ = CellReporter(0);
  }

  // A runtime that waits may have split off a keeper of its memory, our child like itself, which names itself with a
  // signal while nothing foreign runs yet. Such a signal is pending once: no later one takes its place.
  void expect_keeper() {
    ::sigemptyset(&keeper_signal_);
    ::sigaddset(&keeper_signal_, SIGUSR1);
    ::sigprocmask(SIG_BLOCK, &keeper_signal_, nullptr);
  }
  void meet_keeper() {
    siginfo_t sender{};
    const timespec at_once{};
    if (::sigtimedwait(&keeper_signal_, &sender, &at_once) == SIGUSR1 && sender.si_code == SI_USER) {
      keeper_ = sender.si_pid;
    }
  }

  // Ends when the program has ended and everything that it left running is dead too.
  [[noreturn]] void reap() {
    const int status = await_program();
    const bool empty = !children_left();
    // The keeper takes its time to die, which nobody has to wait for. Whether it is all that is left, the supervisor
    // sees for itself.
    const bool kept = !empty && keeper_ > 0;
    if (kept) {
      ::kill(-1, SIGKILL);
    }
    tell_end(status, empty ? Remains::nothing : kept ? Remains::keeper : Remains::some);
    // What a zygote's child left running dies with us, and nobody waits for it.
    if (!empty && spec_.role != CellRole::adopting) {
      do {
        ::kill(-1, SIGKILL);
        wait_for_child();
      } while (children_left());
      CellMessage message;
      message.kind = CellMessageKind::emptied;
      os::send_packet(socket(), &message, sizeof(message));
    }
    ::_exit(0);
  }

  int await_program() {
    while (true) {
      int status = 0;
      const pid_t child = ::waitpid(-1, &status, WNOHANG);
      if (child == program_) {
        return status;
      }
      note_reaped(child);
      if (child <= 0) {
        wait_for_child();
      }
    }
  }

  // Every orphan of this process namespace becomes our child, so no child means that nobody else is here.
  bool children_left() {
    pid_t child = 0;
    do {
      child = ::waitpid(-1, nullptr, WNOHANG);
      note_reaped(child);
    } while (child > 0);
    return child == 0;
  }

  // Its number may come to mean another process.
  void note_reaped(pid_t child) {
    if (child > 0 && child == keeper_) {
      keeper_ = -1;
    }
  }

  // A dead man's switch: a supervisor that is stopped or blocked cannot keep the cell alive for long past its limit.
  void wait_for_child() {
    const std::uint64_t now = now_us();
    if (now >= last_us_) {
      ::_exit(0);
    }
    const std::uint64_t left = last_us_ - now;
    const timespec wait{static_cast<time_t>(left / 1'000'000U), static_cast<long>(left % 1'000'000U * 1000U)};
    ::sigtimedwait(&child_signal_, nullptr, &wait);
  }

  void tell_end(int status, Remains remains) {
    rusage usage{};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    CellMessage message;
    message.kind = CellMessageKind::exited;
    message.wait_status = status;
    message.detail = static_cast<std::int32_t>(remains);
    message.cpu_us = static_cast<std::uint64_t>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1'000'000U +
                     static_cast<std::uint64_t>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    message.peak_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024U;
    os::send_packet(socket(), &message, sizeof(message));
  }

  // What entering a cell takes: the namespaces and the root (SYS_ADMIN, SYS_CHROOT), the look at its first process
  // (SYS_PTRACE), and becoming its user (SETUID, SETGID). Ambient, so that they survive the execution of the runtime;
  // valid in the nursery's user namespace and those below it only.
  void keep_zygote_privileges() {
    constexpr std::array kNeeded = {CAP_SYS_ADMIN, CAP_SYS_CHROOT, CAP_SYS_PTRACE, CAP_SETUID, CAP_SETGID};
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct sets[2]{};
    for (const int capability : kNeeded) {
      sets[capability / 32].permitted |= 1U << (capability % 32);
    }
    for (auto& set : sets) {
      set.effective = set.permitted;
      set.inheritable = set.permitted;
    }
    require(::syscall(SYS_capset, &header, sets) == 0, CellStage::privileges);
    for (const int capability : kNeeded) {
      require(::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) == 0, CellStage::privileges, capability);
    }
    require(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, CellStage::privileges);
  }

  static constexpr pid_t kFirstProgram = 3;  // ours is 1, and the helper that gave birth to it was 2

  const CellPlan& plan_;
  const CellSpec& spec_;
  CellReporter reporter_;
  CellRoot root_;
  std::uint64_t born_us_;
  std::uint64_t identity_us_ = 0;
  std::uint64_t root_us_ = 0;
  std::uint64_t last_us_ = 0;
  pid_t program_ = -1;
  pid_t keeper_ = -1;
  int socket_copy_ = -1;
  bool alone_ = false;
  sigset_t child_signal_{};
  sigset_t keeper_signal_{};
};

}  // namespace

void run_cell(const CellPlan& plan) { Cell(plan).run(); }
void run_zygote(const CellPlan& plan) { Cell(plan).run_zygote(); }
int enter_nursery(const CellPlan& plan) { return Cell(plan).enter_nursery(); }

}  // namespace glovebox::engine

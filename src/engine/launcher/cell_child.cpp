#include "engine/launcher/cell_child.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/securebits.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "engine/launcher/cell_landlock.h"
#include "engine/launcher/cell_messages.h"
#include "os/calls.h"
#include "os/packets.h"

namespace glovebox::engine {
namespace {

using os::fsconfig_string;

constexpr std::uint64_t kReadOnly = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
// The new root is built on top of /proc: it exists everywhere and nothing that a cell shows lives below it.
constexpr const char* kStaging = "/proc";

std::uint64_t now_us() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000U + static_cast<std::uint64_t>(now.tv_nsec) / 1000U;
}

class Cell {
 public:
  explicit Cell(const CellPlan& plan) : plan_(plan), spec_(*plan.spec), born_us_(now_us()) {}

  [[noreturn]] void run() {
    take_identity();
    join_cgroups();
    limit_kernel_objects();
    find_blobs();
    mount_root();
    mount_scratch();
    add_root_entries();
    add_blobs();
    enter_root();
    name_host();
    set_rlimits();
    drop_privileges();
    restrict_files();
    const int listener = filter_calls();
    announce_sealed(listener);
    await_go();
    const pid_t program = start_program();
    reap_until(program);
  }

 private:
  [[noreturn]] void fail(CellStage stage, int detail = 0) {
    CellMessage message;
    message.kind = CellMessageKind::failed;
    message.stage = stage;
    message.sys_errno = errno;
    message.detail = detail;
    os::send_packet(plan_.fds.socket, &message, sizeof(message));
    ::_exit(125);
  }
  void require(bool done, CellStage stage, int detail = 0) {
    if (!done) {
      fail(stage, detail);
    }
  }

  // Becomes the unprivileged user of the cell. The capabilities inside the new user namespace stay until
  // drop_privileges(): user id 0 is not mapped, so changing ids does not clear them.
  void take_identity() {
    char byte = 0;
    require(::read(plan_.fds.identity, &byte, 1) == 1, CellStage::identity);
    if (plan_.drop_groups) {
      require(::setgroups(0, nullptr) == 0, CellStage::identity);
    }
    require(::setresgid(spec_.gid, spec_.gid, spec_.gid) == 0, CellStage::identity);
    require(::setresuid(spec_.uid, spec_.uid, spec_.uid) == 0, CellStage::identity);
    // A launcher that dies takes its cells along.
    require(::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0, CellStage::identity);
    require(::prctl(PR_SET_DUMPABLE, 0) == 0, CellStage::identity);
    identity_us_ = now_us() - born_us_;
  }

  void join_cgroups() {
    for (const int tasks : plan_.fds.tasks) {
      require(::write(tasks, "0", 1) == 1, CellStage::cgroups);
    }
    // Only now: the root of the new cgroup namespace is the group that we are in.
    require(::unshare(CLONE_NEWCGROUP) == 0, CellStage::cgroups);
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
         {Quota{"/proc/sys/user/max_inotify_instances", "16"}, Quota{"/proc/sys/user/max_inotify_watches", "4096"},
          Quota{"/proc/sys/user/max_user_namespaces", "0"}}) {
      const int fd = ::open(quota.path, O_WRONLY | O_CLOEXEC);
      if (fd < 0) {
        require(errno == ENOENT, CellStage::identity);
        continue;
      }
      require(::write(fd, quota.value, std::strlen(quota.value)) > 0, CellStage::identity);
      ::close(fd);
    }
  }

  // A descriptor of the caller belongs to a mount of the caller's namespace, and only mounts of one's own can be
  // cloned. So the file is looked up again by its path, where our namespace has copies of those mounts, and has to be
  // the same.
  void find_blobs() {
    if (plan_.blobs_are_mounts) {
      return;
    }
    for (std::size_t index = 0; index < plan_.fds.blobs.size(); ++index) {
      const int given = plan_.fds.blobs[index];
      const int detail = static_cast<int>(index);
      char link[32];
      ::snprintf(link, sizeof(link), "/proc/self/fd/%d", given);
      char path[PATH_MAX];
      const ssize_t length = ::readlink(link, path, sizeof(path));
      require(length > 0 && static_cast<std::size_t>(length) < sizeof(path), CellStage::blobs, detail);
      path[length] = '\0';
      const int found = ::open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
      require(found >= 0, CellStage::blobs, detail);
      struct stat wanted {};
      struct stat seen {};
      require(::fstat(given, &wanted) == 0 && ::fstat(found, &seen) == 0, CellStage::blobs, detail);
      errno = ESTALE;
      require(wanted.st_dev == seen.st_dev && wanted.st_ino == seen.st_ino, CellStage::blobs, detail);
      require(::dup3(found, given, O_CLOEXEC) == given && ::close(found) == 0, CellStage::blobs, detail);
    }
  }

  void mount_root() {
    require(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, CellStage::root_tmpfs);
    require(::mount("glovebox", kStaging, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,nr_inodes=1k,mode=0755") == 0,
            CellStage::root_tmpfs);
    require(::chdir(kStaging) == 0, CellStage::root_tmpfs);
    ::umask(0);
  }

  // One sized tmpfs for all that the program may write, so that its limit holds over all directories together.
  // It sits at `proc` while its parts are bound to their places; then procfs covers it.
  void mount_scratch() {
    const int fs = os::fsopen("tmpfs", FSOPEN_CLOEXEC);
    require(fs >= 0, CellStage::scratch);
    require(fsconfig_string(fs, "size", plan_.scratch_size) == 0 &&
                fsconfig_string(fs, "nr_inodes", plan_.scratch_inodes) == 0 &&
                fsconfig_string(fs, "mode", "0755") == 0 && os::fsconfig_create(fs) == 0,
            CellStage::scratch);
    const int mount = os::fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
    require(mount >= 0, CellStage::scratch);
    require(::mkdir("proc", 0555) == 0, CellStage::scratch);
    require(os::move_mount(mount, "", AT_FDCWD, "proc", MOVE_MOUNT_F_EMPTY_PATH) == 0, CellStage::scratch);
    for (const std::string& part : spec_.scratch_parts) {
      require(::mkdirat(mount, part.c_str(), 0755) == 0, CellStage::scratch);
    }
    scratch_ = ::openat(mount, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    require(scratch_ >= 0, CellStage::scratch);
    // Early, so that the supervisor writes the inputs while we go on building.
    CellMessage message;
    message.kind = CellMessageKind::scratch;
    message.stage = CellStage::scratch;
    require(os::send_packet(plan_.fds.socket, &message, sizeof(message), {&scratch_, 1}) == 0, CellStage::scratch);
  }

  bool make_mount_point(const char* target, bool directory) {
    if (directory) {
      return ::mkdir(target, 0755) == 0 || errno == EEXIST;
    }
    const int fd = ::open(target, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0444);
    return fd >= 0 && ::close(fd) == 0;
  }

  // Clones the mount at (directory, source), makes it as strict as `attributes` and puts it at `target`.
  bool bind(int directory, const char* source, unsigned extra, std::uint64_t attributes, const char* target) {
    const unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | extra;
    const int tree = os::open_tree(directory, source, flags);
    return tree >= 0 && os::mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, attributes) == 0 &&
           os::move_mount(tree, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH) == 0 && ::close(tree) == 0;
  }

  // The host's directory through an overlay without an upper layer: same files, same page cache, but inodes of our own.
  // So locks, watches, flushes and sockets of the host's files stay the host's. False where the kernel cannot.
  bool cover(const char* source, const char* target) {
    const int fs = os::fsopen("overlay", FSOPEN_CLOEXEC);
    if (fs < 0) {
      return false;
    }
    char lower[PATH_MAX];
    const int length = ::snprintf(lower, sizeof(lower), "%s:proc/empty", source);
    bool covered = length > 0 && static_cast<std::size_t>(length) < sizeof(lower) &&
                   fsconfig_string(fs, "lowerdir", lower) == 0 && os::fsconfig_create(fs) == 0;
    if (covered) {
      const int mount = os::fsmount(fs, FSMOUNT_CLOEXEC, kReadOnly);
      covered = mount >= 0 && os::move_mount(mount, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH) == 0;
      ::close(mount);
    }
    ::close(fs);
    image_covered_ = covered;
    return covered;
  }

  bool write_small_file(const RootEntry& entry) {
    const int fd = ::open(entry.target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
    return fd >= 0 &&
           ::write(fd, entry.source.data(), entry.source.size()) == static_cast<ssize_t>(entry.source.size()) &&
           ::close(fd) == 0;
  }

  // Over the scratch tmpfs, which has done its duty here: a covered mount cannot be reached by any path, nobody in the
  // cell may unmount, and detaching it would wait for an RCU grace period.
  bool mount_proc(const char* target) {
    const int fs = os::fsopen("proc", FSOPEN_CLOEXEC);
    if (fs < 0 || fsconfig_string(fs, "hidepid", "invisible") != 0 || fsconfig_string(fs, "subset", "pid") != 0 ||
        os::fsconfig_create(fs) != 0) {
      return false;
    }
    const int mount = os::fsmount(fs, FSMOUNT_CLOEXEC, kReadOnly | MOUNT_ATTR_NOEXEC);
    return mount >= 0 && os::move_mount(mount, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH) == 0;
  }

  bool add(const RootEntry& entry) {
    const char* target = entry.target.c_str();
    const char* source = entry.source.c_str();
    switch (entry.kind) {
      case RootEntry::Kind::directory:
        return ::mkdir(target, 0755) == 0;
      case RootEntry::Kind::file:
        return write_small_file(entry);
      case RootEntry::Kind::symlink:
        return ::symlink(source, target) == 0;
      case RootEntry::Kind::bind_directory:
        return make_mount_point(target, true) && bind(AT_FDCWD, source, 0, kReadOnly, target);
      case RootEntry::Kind::image:
        return make_mount_point(target, true) &&
               (cover(source, target) || bind(AT_FDCWD, source, 0, kReadOnly, target));
      case RootEntry::Kind::bind_file:
        return make_mount_point(target, false) && bind(AT_FDCWD, source, 0, kReadOnly, target);
      case RootEntry::Kind::device:
        return make_mount_point(target, false) &&
               bind(AT_FDCWD, source, 0, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, target);
      case RootEntry::Kind::scratch:
        return make_mount_point(target, true) &&
               bind(scratch_, source, 0, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, target);
      case RootEntry::Kind::scratch_sealed:
        return make_mount_point(target, true) && bind(scratch_, source, 0, kReadOnly, target);
      case RootEntry::Kind::proc:
        return mount_proc(target);
    }
    errno = EINVAL;
    return false;
  }

  void add_root_entries() {
    int index = 0;
    for (const RootEntry& entry : spec_.root) {
      require(add(entry), CellStage::root_entries, index++);
    }
  }

  // Stored inputs appear read-only inside the work directory, without a copy.
  void add_blobs() {
    for (std::size_t index = 0; index < spec_.blob_targets.size(); ++index) {
      const char* target = spec_.blob_targets[index].c_str();
      const int detail = static_cast<int>(index);
      for (const char* slash = std::strchr(target, '/'); slash != nullptr; slash = std::strchr(slash + 1, '/')) {
        char parent[PATH_MAX];
        const auto length = static_cast<std::size_t>(slash - target);
        require(length < sizeof(parent), CellStage::blobs, detail);
        std::memcpy(parent, target, length);
        parent[length] = '\0';
        require(::mkdir(parent, 0755) == 0 || errno == EEXIST, CellStage::blobs, detail);
      }
      require(make_mount_point(target, false), CellStage::blobs, detail);
      const int blob = plan_.fds.blobs[index];
      require(plan_.blobs_are_mounts ? os::move_mount(blob, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH) == 0
                                     : bind(blob, "", AT_EMPTY_PATH, kBlobAttributes, target),
              CellStage::blobs, detail);
    }
  }

  void enter_root() {
    require(os::pivot_root(".", ".") == 0, CellStage::pivot);
    require(::umount2(".", MNT_DETACH) == 0, CellStage::pivot);
    require(os::mount_setattr(AT_FDCWD, "/", 0, kReadOnly) == 0, CellStage::pivot);
    require(::chdir(spec_.directory.c_str()) == 0, CellStage::pivot);
    ::umask(022);
    root_us_ = now_us() - born_us_;
  }

  void name_host() {
    require(::sethostname(spec_.hostname.data(), spec_.hostname.size()) == 0, CellStage::hostname);
    require(::setdomainname("", 0) == 0, CellStage::hostname);
  }

  void set_rlimits() {
    for (const ResourceLimit& limit : spec_.rlimits) {
      rlimit value{};
      require(::prlimit(0, static_cast<__rlimit_resource>(limit.resource), nullptr, &value) == 0, CellStage::rlimits);
      // Never above what the host gave us: raising needs a privilege that we do not have.
      value.rlim_max = limit.value < value.rlim_max ? limit.value : value.rlim_max;
      value.rlim_cur = value.rlim_max;
      require(::prlimit(0, static_cast<__rlimit_resource>(limit.resource), &value, nullptr) == 0, CellStage::rlimits,
              static_cast<int>(limit.resource));
    }
  }

  void drop_privileges() {
    for (unsigned capability = 0; ::prctl(PR_CAPBSET_READ, capability) >= 0; ++capability) {
      require(::prctl(PR_CAPBSET_DROP, capability) == 0, CellStage::privileges, static_cast<int>(capability));
    }
    require(::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == 0, CellStage::privileges);
    require(::prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                                           SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                                           SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED) == 0,
            CellStage::privileges);
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct none[2]{};
    require(::syscall(SYS_capset, &header, none) == 0, CellStage::privileges);
    require(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, CellStage::privileges);
  }

  void restrict_files() {
    if (spec_.landlock_abi > 0) {
      require(restrict_with_landlock(spec_.landlock_abi), CellStage::landlock);
    }
  }

  // Returns the listener through which refused calls are seen from outside.
  int filter_calls() {
    sock_fprog program{};
    program.len = static_cast<unsigned short>(plan_.filter.size());
    program.filter = const_cast<sock_filter*>(plan_.filter.data());
    int listener = os::seccomp_set_filter(SECCOMP_FILTER_FLAG_NEW_LISTENER | os::kSeccompWaitKillable, &program);
    if (listener < 0 && errno == EINVAL) {
      listener = os::seccomp_set_filter(SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    }
    require(listener >= 0, CellStage::seccomp);
    return listener;
  }

  void announce_sealed(int listener) {
    CellMessage message;
    message.kind = CellMessageKind::sealed;
    message.stage = CellStage::seccomp;
    message.identity_us = identity_us_;
    message.root_us = root_us_;
    message.sealed_at_us = now_us();
    message.sealed_us = message.sealed_at_us - born_us_;
    message.detail = image_covered_ ? 1 : 0;
    require(os::send_packet(plan_.fds.socket, &message, sizeof(message), {&listener, 1}) == 0, CellStage::seccomp);
    ::close(listener);
  }

  void await_go() {
    char byte = 0;
    os::ReceivedFds none;
    const ssize_t size = os::receive_packet(plan_.fds.socket, &byte, 1, none);
    if (size != 1 || byte != kGo) {
      ::_exit(0);  // the supervisor is gone or changed its mind
    }
  }

  pid_t start_program() {
    ::signal(SIGCHLD, SIG_DFL);  // the launcher lets its children go unwaited for; we wait for ours
    ::sigemptyset(&child_signal_);
    ::sigaddset(&child_signal_, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &child_signal_, nullptr);  // taken by sigtimedwait; the program starts with an empty mask
    const pid_t pid = ::vfork();  // no page tables to copy: the child only executes, or reports and ends
    require(pid >= 0, CellStage::fork);
    if (pid == 0) {
      execute();
    }
    return pid;
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
    require(os::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0, CellStage::exec);
    ::execve(plan_.argv[0], const_cast<char* const*>(plan_.argv), const_cast<char* const*>(plan_.env));
    fail(CellStage::exec);
  }

  // Ends when the program ends; the kernel then kills whatever it left running in this pid namespace.
  // A dead man's switch comes with it: a supervisor that is stopped or blocked cannot keep the cell alive for long past
  // its limit.
  [[noreturn]] void reap_until(pid_t program) {
    ::dup2(plan_.fds.socket, 0);
    os::close_range(1, ~0U, 0);
    const std::uint64_t last_us = now_us() + spec_.latest_end_ms * 1000U;
    while (true) {
      int status = 0;
      const pid_t ended = ::waitpid(-1, &status, WNOHANG);
      if (ended == 0) {
        const std::uint64_t now = now_us();
        if (now >= last_us) {
          ::_exit(0);
        }
        const std::uint64_t left = last_us - now;
        const timespec wait{static_cast<time_t>(left / 1'000'000U), static_cast<long>(left % 1'000'000U * 1000U)};
        ::sigtimedwait(&child_signal_, nullptr, &wait);
        continue;
      }
      if (ended == program) {
        rusage usage{};
        ::getrusage(RUSAGE_CHILDREN, &usage);
        CellMessage message;
        message.kind = CellMessageKind::exited;
        message.wait_status = status;
        message.cpu_us = static_cast<std::uint64_t>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1'000'000U +
                         static_cast<std::uint64_t>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
        message.peak_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024U;
        os::send_packet(0, &message, sizeof(message));
        ::_exit(0);
      }
      if (ended < 0 && errno == ECHILD) {
        ::_exit(0);
      }
    }
  }

  const CellPlan& plan_;
  const CellSpec& spec_;
  std::uint64_t born_us_;
  std::uint64_t identity_us_ = 0;
  std::uint64_t root_us_ = 0;
  int scratch_ = -1;
  bool image_covered_ = false;
  sigset_t child_signal_{};
};

}  // namespace

void run_cell(const CellPlan& plan) { Cell(plan).run(); }

}  // namespace glovebox::engine

#include "engine/launcher/launcher.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "engine/launcher/cell_child.h"
#include "os/calls.h"
#include "os/packets.h"
#include "os/seccomp_filter.h"

namespace glovebox::engine {
namespace {

using base::Fd;

constexpr std::uint64_t kNamespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;

bool write_proc_file(pid_t pid, const char* name, std::string_view text) {
  std::array<char, 64> path{};
  ::snprintf(path.data(), path.size(), "/proc/%d/%s", pid, name);
  const Fd fd(::open(path.data(), O_WRONLY | O_CLOEXEC));
  return fd.valid() && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// Maps the one user of the cell. An ordinary user may do that only after giving up setgroups for the namespace.
bool write_id_maps(pid_t pid, const CellSpec& spec, bool privileged) {
  const std::string users = std::to_string(spec.uid) + " " + std::to_string(spec.host_uid) + " 1";
  const std::string groups = std::to_string(spec.gid) + " " + std::to_string(spec.host_gid) + " 1";
  return (privileged || write_proc_file(pid, "setgroups", "deny")) && write_proc_file(pid, "gid_map", groups) &&
         write_proc_file(pid, "uid_map", users);
}

std::vector<const char*> c_strings(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) {
    pointers.push_back(text.c_str());
  }
  pointers.push_back(nullptr);
  return pointers;
}

// A network namespace costs more than all others together, so a privileged launcher makes the next one while nobody
// waits: at its start and after each answer. The cell is born into it. It belongs to the host's user namespace, in
// which the cell has no privilege at all. An ordinary user cannot; there the clone makes it.
class SpareNetwork {
 public:
  void prepare() {
    if (::geteuid() != 0 || spare_.valid()) {
      return;
    }
    if (!home_.valid()) {
      home_ = Fd(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC));
    }
    if (home_.valid() && ::unshare(CLONE_NEWNET) == 0) {
      spare_ = Fd(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC));
      go_home();
    }
  }
  // Steps into the spare namespace, if there is one; each is used once.
  bool enter() {
    const Fd used = std::move(spare_);
    return used.valid() && ::setns(used.get(), CLONE_NEWNET) == 0;
  }
  void go_home() {
    if (::setns(home_.get(), CLONE_NEWNET) != 0) {
      ::_exit(1);  // a launcher that is lost in a cell's namespace must not go on
    }
  }

 private:
  Fd home_;
  Fd spare_;
};

// Root may clone the mount under a blob here, in the namespace that it belongs to, and so pass on a file that the
// cell's user could not reach by its path. Nothing for an ordinary user: then the cell looks the files up itself.
std::vector<Fd> mounts_of(std::span<const int> blobs) {
  std::vector<Fd> mounts;
  for (const int blob : blobs) {
    Fd tree(os::open_tree(blob, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH));
    if (!tree.valid() || os::mount_setattr(tree.get(), "", AT_EMPTY_PATH, kBlobAttributes) != 0) {
      return {};
    }
    mounts.push_back(std::move(tree));
  }
  return mounts;
}

LaunchReply refuse(CellStage stage) { return {1, stage, errno, 0}; }

LaunchReply launch(const CellSpec& spec, std::span<const int> fds, SpareNetwork& network, Fd& pidfd) {
  const std::size_t cgroup_fds = spec.into_cgroup ? 1 : 0;
  const os::SeccompFilter* filter = os::find_seccomp_filter(spec.seccomp);
  if (filter == nullptr || fds.size() != kFixedFds + cgroup_fds + spec.task_fds + spec.blob_targets.size()) {
    errno = EINVAL;
    return refuse(CellStage::clone);
  }
  std::array<int, 2> identity{};
  if (::pipe2(identity.data(), O_CLOEXEC) != 0) {
    return refuse(CellStage::clone);
  }
  Fd identity_read(identity[0]);
  Fd identity_write(identity[1]);
  const bool privileged = ::geteuid() == 0;
  const auto argv = c_strings(spec.argv);
  const auto env = c_strings(spec.env);
  const std::string scratch_size = std::to_string(spec.scratch_bytes);
  const std::string scratch_inodes = std::to_string(spec.scratch_inodes);
  std::span<const int> blobs = fds.subspan(kFixedFds + cgroup_fds + spec.task_fds);
  const std::vector<Fd> mounts = privileged ? mounts_of(blobs) : std::vector<Fd>();
  std::vector<int> mount_fds;
  for (const Fd& mount : mounts) {
    mount_fds.push_back(mount.get());
  }
  CellPlan plan;
  plan.spec = &spec;
  plan.blobs_are_mounts = !mounts.empty();
  plan.fds = {fds[0],
              fds[1],
              fds[2],
              fds[3],
              identity_read.get(),
              fds.subspan(kFixedFds + cgroup_fds, spec.task_fds),
              plan.blobs_are_mounts ? std::span<const int>(mount_fds) : blobs};
  plan.filter = filter->program;
  plan.argv = argv.data();
  plan.env = env.data();
  plan.scratch_size = scratch_size.c_str();
  plan.scratch_inodes = scratch_inodes.c_str();
  plan.drop_groups = privileged;

  int raw_pidfd = -1;
  clone_args args{};
  args.flags = kNamespaces | CLONE_PIDFD;
  args.pidfd = reinterpret_cast<std::uint64_t>(&raw_pidfd);
  args.exit_signal = SIGCHLD;
  if (spec.into_cgroup) {
    args.flags |= CLONE_INTO_CGROUP;
    args.cgroup = static_cast<std::uint64_t>(fds[kFixedFds]);
  }
  const bool born_into_spare = network.enter();
  if (!born_into_spare) {
    args.flags |= CLONE_NEWNET;
  }
  const pid_t pid = os::clone3(args);
  if (pid < 0) {
    const LaunchReply reply = refuse(CellStage::clone);
    if (born_into_spare) {
      network.go_home();
    }
    return reply;
  }
  if (pid == 0) {
    ::close(identity[1]);  // so that the read ends if the launcher dies
    run_cell(plan);
  }
  pidfd = Fd(raw_pidfd);
  LaunchReply reply{0, CellStage::clone, 0, pid};
  if (!write_id_maps(pid, spec, privileged) || ::write(identity_write.get(), "i", 1) != 1) {
    reply = refuse(CellStage::identity);
    os::pidfd_send_signal(pidfd.get(), SIGKILL);
  }
  if (born_into_spare) {
    network.go_home();  // last: the cell waits for its identity, nobody waits for this
  }
  return reply;
}

void ignore_terminal_and_children() {
  ::setsid();  // Ctrl-C is for the supervisor, which then kills the cell
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGTSTP}) {
    ::signal(signal, SIG_IGN);
  }
  struct sigaction reap {};
  reap.sa_handler = SIG_DFL;
  reap.sa_flags = SA_NOCLDWAIT;  // pidfds tell of the end; nobody waits
  ::sigaction(SIGCHLD, &reap, nullptr);
}

}  // namespace

int serve_launches(int socket, ExpectedLaunches expected) {
  ignore_terminal_and_children();
  const std::unique_ptr<char[]> buffer(new char[kMaxSpecBytes]);  // not zeroed: only touched pages cost
  SpareNetwork network;
  network.prepare();
  while (true) {
    os::ReceivedFds received;
    const ssize_t size = os::receive_packet(socket, buffer.get(), kMaxSpecBytes, received);
    if (size == 0) {
      return 0;
    }
    if (size < 0) {
      return 1;
    }
    LaunchReply reply;
    Fd pidfd;
    const auto spec = decode_cell_spec(std::string_view(buffer.get(), static_cast<std::size_t>(size)));
    if (spec) {
      reply = launch(*spec, std::span<const int>(received.fds.data(), received.count), network, pidfd);
    } else {
      errno = EBADMSG;
      reply = refuse(CellStage::clone);
    }
    for (std::size_t index = 0; index < received.count; ++index) {
      ::close(received.fds[index]);
    }
    const int raw = pidfd.get();
    if (os::send_packet(socket, &reply, sizeof(reply),
                        pidfd.valid() ? std::span<const int>(&raw, 1) : std::span<const int>()) != 0) {
      return 1;
    }
    if (expected == ExpectedLaunches::many) {
      network.prepare();
    }
  }
}

}  // namespace glovebox::engine

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
#include "engine/launcher/device_stock.h"
#include "engine/launcher/network_stock.h"
#include "os/calls.h"
#include "os/packets.h"
#include "os/pairs.h"
#include "os/seccomp_filter.h"

namespace glovebox::engine {
namespace {

using base::Fd;

bool write_proc_file(int proc, pid_t pid, const char* name, std::string_view text) {
  std::array<char, 64> path{};
  ::snprintf(path.data(), path.size(), "%d/%s", pid, name);
  const Fd fd(::openat(proc, path.data(), O_WRONLY | O_CLOEXEC));
  return fd.valid() && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// One user of the cell, or the users that a nursery can give to its cells.
std::string id_map(const CellSpec& spec, std::uint32_t inner, std::uint32_t outer) {
  return std::to_string(inner) + " " + std::to_string(outer) + " " + std::to_string(spec.id_count);
}

// An ordinary user may map itself only after giving up setgroups for the namespace.
bool write_id_maps(int proc, pid_t pid, const CellSpec& spec, bool privileged) {
  return (privileged || write_proc_file(proc, pid, "setgroups", "deny")) &&
         write_proc_file(proc, pid, "gid_map", id_map(spec, spec.gid, spec.host_gid)) &&
         write_proc_file(proc, pid, "uid_map", id_map(spec, spec.uid, spec.host_uid));
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

// Takes the descriptors that came with a spec apart, in the order that cell_spec.h tells.
struct SortedFds {
  CellFds cell;
  int cgroup = -1;
};
bool sort_fds(const CellSpec& spec, std::span<const int> fds, SortedFds& sorted) {
  const std::size_t cgroup_fds = spec.into_cgroup ? 1 : 0;
  const std::size_t fixed = fixed_fds(spec.role);
  if (fds.size() != fixed + cgroup_fds + spec.task_fds + spec.blob_targets.size()) {
    return false;
  }
  sorted.cell.socket = fds[0];
  if (executes(spec.role)) {
    sorted.cell.standard_input = fds[1];
    sorted.cell.standard_output = fds[2];
    sorted.cell.standard_error = fds[3];
  }
  if (has_channel(spec.role)) {
    sorted.cell.channel = fds[4];
  }
  sorted.cgroup = spec.into_cgroup ? fds[fixed] : -1;
  sorted.cell.tasks = fds.subspan(fixed + cgroup_fds, spec.task_fds);
  sorted.cell.blobs = fds.subspan(fixed + cgroup_fds + spec.task_fds);
  return true;
}

class Launcher {
 public:
  // `proc` is the procfs of our process namespace.
  Launcher(NetworkStock::Owner place, int proc)
      : nursery_(place == NetworkStock::Owner::nursery),
        proc_(proc),
        networks_(place, proc),
        devices_(!nursery_ && ::geteuid() == 0) {}

  int serve(int socket, ExpectedLaunches expected);

 private:
  LaunchReply launch(const CellSpec& spec, std::span<const int> fds, Fd& pidfd);
  pid_t clone(const CellSpec& spec, int cgroup, Fd& pidfd);
  [[noreturn]] void become(const CellSpec& spec, const CellPlan& plan);
  [[nodiscard]] bool may_launch(CellRole role) const {
    // A zygote lives in a nursery, and a nursery on the host.
    return role == CellRole::program || role == CellRole::started || role == CellRole::adopting ||
           (role == CellRole::zygote) == nursery_;
  }

  bool nursery_;
  int proc_;
  NetworkStock networks_;
  DeviceStock devices_;
};

LaunchReply Launcher::launch(const CellSpec& spec, std::span<const int> fds, Fd& pidfd) {
  const os::SeccompFilter* filter = os::find_seccomp_filter(spec.seccomp);
  SortedFds sorted;
  if (filter == nullptr || !may_launch(spec.role) || !sort_fds(spec, fds, sorted)) {
    errno = EINVAL;
    return refuse(CellStage::clone);
  }
  Fd identity_read;
  Fd identity_write;
  if (os::make_pipe(identity_read, identity_write) != 0) {
    return refuse(CellStage::clone);
  }
  const bool privileged = ::geteuid() == 0;
  const auto argv = c_strings(spec.argv);
  const auto env = c_strings(spec.env);
  const std::string scratch_size = std::to_string(spec.scratch_bytes);
  const std::string scratch_inodes = std::to_string(spec.scratch_inodes);
  const std::vector<Fd> mounts = privileged && !nursery_ ? mounts_of(sorted.cell.blobs) : std::vector<Fd>();
  std::vector<int> mount_fds;
  for (const Fd& mount : mounts) {
    mount_fds.push_back(mount.get());
  }
  const Fd devices = devices_.take();
  CellPlan plan;
  plan.spec = &spec;
  plan.fds = sorted.cell;
  plan.fds.devices = devices.get();
  plan.fds.identity = identity_read.get();
  plan.blobs_are_mounts = !mounts.empty();
  if (plan.blobs_are_mounts) {
    plan.fds.blobs = mount_fds;
  }
  plan.filter = filter->program;
  plan.argv = argv.data();
  plan.env = env.data();
  plan.scratch_size = scratch_size.c_str();
  plan.scratch_inodes = scratch_inodes.c_str();
  plan.proc = proc_;
  plan.drop_groups = privileged;
  plan.prepared_root = nursery_;

  const pid_t pid = clone(spec, sorted.cgroup, pidfd);
  if (pid == 0) {
    identity_write.reset();  // so that the read ends if the launcher dies
    become(spec, plan);
  }
  LaunchReply reply{0, CellStage::clone, 0, pid};
  if (pid < 0) {
    reply = refuse(CellStage::clone);
  } else if (spec.role != CellRole::zygote &&
             (!write_id_maps(proc_, pid, spec, privileged) || ::write(identity_write.get(), "i", 1) != 1)) {
    reply = refuse(CellStage::identity);
    os::pidfd_send_signal(pidfd.get(), SIGKILL);
  }
  networks_.leave(pidfd.get());  // last: the cell waits for its identity, nobody waits for this
  return reply;
}

pid_t Launcher::clone(const CellSpec& spec, int cgroup, Fd& pidfd) {
  int raw_pidfd = -1;
  clone_args args{};
  args.flags = CLONE_PIDFD | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS;
  if (spec.role != CellRole::zygote) {
    args.flags |= CLONE_NEWUSER | CLONE_NEWPID;
  }
  args.pidfd = reinterpret_cast<std::uint64_t>(&raw_pidfd);
  args.exit_signal = SIGCHLD;
  if (cgroup >= 0) {
    args.flags |= CLONE_INTO_CGROUP;
    args.cgroup = static_cast<std::uint64_t>(cgroup);
  }
  if (!networks_.enter(spec.fresh_network || spec.role == CellRole::zygote)) {
    args.flags |= CLONE_NEWNET;
  }
  const pid_t pid = os::clone3(args);
  if (pid > 0) {
    pidfd = Fd(raw_pidfd);
  }
  return pid;
}

void Launcher::become(const CellSpec& spec, const CellPlan& plan) {
  if (spec.role == CellRole::nursery) {
    const int proc = enter_nursery(plan);
    ::_exit(Launcher(NetworkStock::Owner::nursery, proc).serve(kLauncherSocket, ExpectedLaunches::many));
  }
  if (spec.role == CellRole::zygote) {
    run_zygote(plan);
  }
  run_cell(plan);
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

int Launcher::serve(int socket, ExpectedLaunches expected) {
  const std::unique_ptr<char[]> buffer(new char[kMaxSpecBytes]);  // not zeroed: only touched pages cost
  networks_.prepare();
  devices_.prepare();
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
      reply = launch(*spec, std::span<const int>(received.fds.data(), received.count), pidfd);
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
      networks_.prepare();
      devices_.prepare();
    }
  }
}

}  // namespace

int serve_launches(int socket, ExpectedLaunches expected) {
  ignore_terminal_and_children();
  const Fd proc(::open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC));
  return proc.valid() ? Launcher(NetworkStock::Owner::host, proc.get()).serve(socket, expected) : 1;
}

}  // namespace glovebox::engine

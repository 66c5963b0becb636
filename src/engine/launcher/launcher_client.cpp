#include "engine/launcher/launcher_client.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <initializer_list>
#include <utility>

#include "engine/launcher/launcher.h"
#include "os/calls.h"
#include "os/files.h"
#include "os/packets.h"

namespace glovebox::engine {
namespace {

using base::errno_error;
using base::Error;
using base::ErrorCode;
using base::fail;
using base::Fd;
using base::Result;

std::string directory_of_this_program() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
  if (length <= 0) {
    return ".";
  }
  const std::string text(path.data(), static_cast<std::size_t>(length));
  return text.substr(0, text.rfind('/'));
}

// What the usual refusals of clone3 mean on a real host.
Error explain(Error error, const LaunchReply& reply) {
  if (reply.stage == CellStage::clone &&
      (reply.sys_errno == EPERM || reply.sys_errno == ENOSPC || reply.sys_errno == EUSERS)) {
    error.code = ErrorCode::host_unsupported;
    error.hint = "this host does not let ordinary users create user namespaces; see `glovebox doctor` for the switch";
  } else if (reply.stage == CellStage::clone && reply.sys_errno == EBUSY) {
    error.hint = "the control group of the cell cannot take processes";
  } else {
    error.hint = "run `glovebox doctor` to see what this host lacks";
  }
  return error;
}

}  // namespace

Result<std::string> LauncherClient::find_program() {
  if (const char* named = std::getenv("GLOVEBOX_LAUNCHER"); named != nullptr && *named != '\0') {
    return std::string(named);
  }
  const std::string here = directory_of_this_program();
  for (const std::string& candidate : {here + "/glovebox-launcher", here + "/../libexec/glovebox/glovebox-launcher",
                                       here + "/../bin/glovebox-launcher"}) {
    if (::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return fail(base::make_error(ErrorCode::setup_failed, "glovebox-launcher is not beside " + here + "/glovebox")
                  .with_hint("build or install it, or name it in GLOVEBOX_LAUNCHER"));
}

Result<LauncherClient> LauncherClient::start(const std::string& program) {
  int ours = -1;
  int theirs = -1;
  if (os::packet_pair(ours, theirs) != 0) {
    return fail(errno_error(ErrorCode::setup_failed, "launcher", "cannot create a socket pair"));
  }
  Fd our_end(ours);
  const Fd their_end(theirs);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, theirs, kLauncherSocket);
  posix_spawn_file_actions_addclosefrom_np(&actions, kLauncherSocket + 1);
  std::string path = program;
  std::array<char*, 2> argv = {path.data(), nullptr};
  std::array<char*, 1> env = {nullptr};
  pid_t pid = -1;
  const int problem = ::posix_spawn(&pid, program.c_str(), &actions, nullptr, argv.data(), env.data());
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) {
    errno = problem;
    return fail(errno_error(ErrorCode::setup_failed, "launcher", "cannot start " + program));
  }
  return LauncherClient(std::move(our_end), pid);
}

Result<LauncherClient> LauncherClient::start_in_fork() {
  int ours = -1;
  int theirs = -1;
  if (os::packet_pair(ours, theirs) != 0) {
    return fail(errno_error(ErrorCode::setup_failed, "launcher", "cannot create a socket pair"));
  }
  Fd our_end(ours);
  const Fd their_end(theirs);
  const pid_t pid = ::fork();
  if (pid < 0) {
    return fail(errno_error(ErrorCode::setup_failed, "launcher", "cannot fork the launcher"));
  }
  if (pid == 0) {
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int standard : {0, 1, 2}) {
      ::dup2(null, standard);
    }
    if (theirs != kLauncherSocket) {
      ::dup3(theirs, kLauncherSocket, O_CLOEXEC);
    }
    os::close_range(kLauncherSocket + 1, ~0U, 0);
    ::_exit(serve_launches(kLauncherSocket, ExpectedLaunches::one));
  }
  return LauncherClient(std::move(our_end), pid);
}

LauncherClient::LauncherClient(LauncherClient&& other) noexcept
    : socket_(std::move(other.socket_)), pid_(std::exchange(other.pid_, -1)) {}

LauncherClient::~LauncherClient() {
  socket_.reset();
  if (pid_ > 0) {
    ::waitpid(pid_, nullptr, 0);
  }
}

Result<LaunchedCell> LauncherClient::launch(const CellSpec& spec, const CellDescriptors& descriptors) {
  const std::string bytes = TRY(encode_cell_spec(spec));
  std::vector<int> fds = {descriptors.standard_input, descriptors.standard_output, descriptors.standard_error,
                          descriptors.socket};
  if (spec.into_cgroup) {
    fds.push_back(descriptors.cgroup);
  }
  fds.insert(fds.end(), descriptors.tasks.begin(), descriptors.tasks.end());
  fds.insert(fds.end(), descriptors.blobs.begin(), descriptors.blobs.end());

  const std::lock_guard lock(mutex_);
  if (os::send_packet(socket_.get(), bytes.data(), bytes.size(), fds) != 0) {
    return fail(errno_error(ErrorCode::setup_failed, "launcher", "cannot reach the launcher"));
  }
  LaunchReply reply;
  os::ReceivedFds received;
  const ssize_t size = os::receive_packet(socket_.get(), &reply, sizeof(reply), received);
  if (size != static_cast<ssize_t>(sizeof(reply))) {
    return fail(ErrorCode::setup_failed, "the launcher ended unexpectedly");
  }
  Fd pidfd(received.count > 0 ? received.fds[0] : -1);
  if (reply.failed != 0 || !pidfd.valid()) {
    errno = reply.sys_errno;
    return fail(explain(
        errno_error(ErrorCode::setup_failed, std::string(to_string(reply.stage)), "cannot create the cell"), reply));
  }
  return LaunchedCell{std::move(pidfd), reply.pid};
}

}  // namespace glovebox::engine

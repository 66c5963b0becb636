#include "engine/launcher/launcher_client.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
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
#include "os/pairs.h"

namespace glovebox::engine {
namespace {

using base::errno_error;
using base::ErrorCode;
using base::fail;
using base::Fd;
using base::Result;
using base::Status;

constexpr int kEndPatienceMs = 5000;

std::string directory_of_this_program() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
  if (length <= 0) {
    return ".";
  }
  const std::string text(path.data(), static_cast<std::size_t>(length));
  return text.substr(0, text.rfind('/'));
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

Status LauncherClient::start(const std::string& program) {
  program_ = program;
  return spawn();
}

Status LauncherClient::spawn() {
  Fd our_end;
  Fd their_end;
  if (os::make_socket_pair(our_end, their_end) != 0) {
    return fail(errno_error(ErrorCode::setup_failed, "launcher", "cannot create a socket pair"));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, their_end.get(), kLauncherSocket);
  posix_spawn_file_actions_addclosefrom_np(&actions, kLauncherSocket + 1);
  std::string path = program_;
  std::array<char*, 2> argv = {path.data(), nullptr};
  std::array<char*, 1> env = {nullptr};
  const int problem = ::posix_spawn(&pid_, program_.c_str(), &actions, nullptr, argv.data(), env.data());
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) {
    pid_ = -1;
    errno = problem;
    return fail(errno_error(ErrorCode::setup_failed, "launcher", "cannot start " + program_));
  }
  connection_.reconnect(std::move(our_end));
  return {};
}

Status LauncherClient::start_in_fork() {
  Fd our_end;
  Fd their_end;
  if (os::make_socket_pair(our_end, their_end) != 0) {
    return fail(errno_error(ErrorCode::setup_failed, "launcher", "cannot create a socket pair"));
  }
  const pid_t pid = ::fork();
  if (pid < 0) {
    return fail(errno_error(ErrorCode::setup_failed, "launcher", "cannot fork the launcher"));
  }
  if (pid == 0) {
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int standard : {0, 1, 2}) {
      ::dup2(null, standard);
    }
    if (their_end.get() != kLauncherSocket) {
      ::dup3(their_end.get(), kLauncherSocket, O_CLOEXEC);
    }
    os::close_range(kLauncherSocket + 1, ~0U, 0);
    ::_exit(serve_launches(kLauncherSocket, ExpectedLaunches::one));
  }
  pid_ = pid;
  connection_.reconnect(std::move(our_end));
  return {};
}

void LauncherClient::stop() {
  const bool hangs = connection_.broken();
  connection_.close();
  if (pid_ > 0) {
    // What it launched dies with it, whichever way it ends.
    const Fd process(os::pidfd_open(pid_));
    pollfd ended{process.get(), POLLIN, 0};
    if (hangs || ::poll(&ended, 1, kEndPatienceMs) <= 0) {
      ::kill(pid_, SIGKILL);
    }
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
}

LauncherClient::~LauncherClient() { stop(); }

Status LauncherClient::renew() {
  const std::lock_guard lock(mutex_);
  if (!connection_.broken()) {
    return {};  // somebody else was first
  }
  if (program_.empty()) {
    program_ = TRY(find_program());  // a fork cannot be made again: by now we may have threads
  }
  stop();
  return spawn();
}

Result<LaunchedCell> LauncherClient::launch(const CellSpec& spec, const CellDescriptors& descriptors) {
  if (connection_.broken()) {
    TRY_STATUS(renew());
  }
  auto launched = connection_.launch(spec, descriptors);
  // One that died since the last request has not even heard of this one: the next may.
  const bool unheard = !launched && (launched.error().sys_errno == EPIPE || launched.error().sys_errno == ECONNRESET);
  if (unheard && connection_.broken()) {
    TRY_STATUS(renew());
    return connection_.launch(spec, descriptors);
  }
  return launched;
}

}  // namespace glovebox::engine

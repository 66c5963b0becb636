// busctl rather than a D-Bus library: it is needed once per process on hosts without delegation, and every host that
// has a systemd manager has busctl.
#include "os/systemd_scope.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "os/files.h"

extern char** environ;  // NOLINT: POSIX names it so

namespace glovebox::os {
namespace {

using base::ErrorCode;
using base::fail;
using base::Status;

constexpr auto kPatience = std::chrono::seconds(2);
constexpr auto kStep = std::chrono::milliseconds(5);

Status run_quietly(std::vector<std::string> command) {
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (std::string& word : command) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int fd : {0, 1, 2}) {
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  }
  pid_t pid = 0;
  const int problem = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) {
    errno = problem;
    return fail(base::errno_error(ErrorCode::limits_unavailable, "systemd_scope", "cannot start busctl"));
  }
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  int status = 0;
  while (true) {
    const pid_t done = ::waitpid(pid, &status, WNOHANG);
    if (done == pid) {
      break;
    }
    if (std::chrono::steady_clock::now() > deadline) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, &status, 0);
      return fail(ErrorCode::limits_unavailable, "systemd did not answer within 2 s");
    }
    std::this_thread::sleep_for(kStep);
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return fail(ErrorCode::limits_unavailable, "no systemd manager granted a delegated scope");
  }
  return {};
}

// Where busctl would look for its bus. An address may be anything that only busctl can tell.
bool bus_exists() {
  const bool system = ::geteuid() == 0;
  if (const char* address = std::getenv(system ? "DBUS_SYSTEM_BUS_ADDRESS" : "DBUS_SESSION_BUS_ADDRESS");
      address != nullptr && *address != '\0') {
    return true;
  }
  if (system) {
    return path_exists("/run/dbus/system_bus_socket");
  }
  const char* directory = std::getenv("XDG_RUNTIME_DIR");
  return directory != nullptr && path_exists(std::string(directory) + "/bus");
}

}  // namespace

Status enter_delegated_scope() {
  if (!bus_exists()) {
    return fail(ErrorCode::limits_unavailable, "there is no bus on which to ask systemd for a delegated scope");
  }
  const std::string before = TRY(read_file("/proc/self/cgroup"));
  const std::string pid = std::to_string(::getpid());
  TRY_STATUS(run_quietly({"busctl",
                          ::geteuid() == 0 ? "--system" : "--user",
                          "call",
                          "--quiet",
                          "org.freedesktop.systemd1",
                          "/org/freedesktop/systemd1",
                          "org.freedesktop.systemd1.Manager",
                          "StartTransientUnit",
                          "ssa(sv)a(sa(sv))",
                          "glovebox-" + pid + ".scope",
                          "fail",
                          "3",
                          "Delegate",
                          "b",
                          "true",
                          "PIDs",
                          "au",
                          "1",
                          pid,
                          "CollectMode",
                          "s",
                          "inactive-or-failed",
                          "0"}));
  // The job is queued when the call returns; the move itself shows in /proc/self/cgroup.
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < deadline) {
    if (TRY(read_file("/proc/self/cgroup")) != before) {
      return {};
    }
    std::this_thread::sleep_for(kStep);
  }
  return fail(ErrorCode::limits_unavailable, "systemd accepted a delegated scope but did not move this process");
}

}  // namespace glovebox::os

#include "peers.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

extern char** environ;  // NOLINT: POSIX names it so

namespace glovebox::bench {
namespace {

constexpr const char* kPython = "/usr/bin/python3";

bool have(const char* path) { return ::access(path, X_OK) == 0; }

// Comparable with a cell: own namespaces of every kind, /usr read-only, no network, a private /tmp and /proc.
constexpr const char* kRuncConfig = R"({
 "ociVersion": "1.0.2",
 "process": {"terminal": false, "user": {"uid": 1000, "gid": 1000}, "args": ["/usr/bin/python3", "-c", "pass"],
  "env": ["PATH=/usr/bin:/bin"], "cwd": "/", "noNewPrivileges": true, "capabilities": {}},
 "root": {"path": "rootfs", "readonly": true}, "hostname": "bench",
 "mounts": [
  {"destination": "/proc", "type": "proc", "source": "proc"},
  {"destination": "/usr", "type": "bind", "source": "/usr", "options": ["rbind", "ro", "nosuid", "nodev"]},
  {"destination": "/tmp", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "nodev", "size=64m"]},
  {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "size=1m"]}],
 "linux": {"namespaces": [{"type": "pid"}, {"type": "network"}, {"type": "ipc"}, {"type": "uts"}, {"type": "mount"}],
  "resources": {"memory": {"limit": 268435456}, "pids": {"limit": 64}}}
})";

std::string make_runc_bundle(const std::string& scratch) {
  const std::string bundle = scratch + "/bundle";
  ::mkdir(bundle.c_str(), 0755);
  ::mkdir((bundle + "/rootfs").c_str(), 0755);
  for (const char* name : {"proc", "usr", "tmp", "dev"}) {
    ::mkdir((bundle + "/rootfs/" + name).c_str(), 0755);
  }
  for (const char* name : {"bin", "lib", "lib64"}) {
    (void)!::symlink((std::string("usr/") + name).c_str(), (bundle + "/rootfs/" + name).c_str());
  }
  std::ofstream(bundle + "/config.json") << kRuncConfig;
  return bundle;
}

}  // namespace

std::vector<Peer> find_peers(const std::string& glovebox, const std::string& scratch) {
  std::vector<Peer> peers;
  peers.push_back({"bare python3", {kPython, "-c", "pass"}, ""});
  // A cell starts Python without its `site` step; this row keeps the comparison honest.
  peers.push_back({"bare python3 -S", {kPython, "-S", "-c", "pass"}, ""});
  peers.push_back({"glovebox run (whole program)", {glovebox, "run", "-c", "pass"}, ""});
  Peer bubblewrap{"bubblewrap",
                  {"/usr/bin/bwrap",
                   "--ro-bind",
                   "/usr",
                   "/usr",
                   "--symlink",
                   "usr/bin",
                   "/bin",
                   "--symlink",
                   "usr/lib",
                   "/lib",
                   "--symlink",
                   "usr/lib64",
                   "/lib64",
                   "--proc",
                   "/proc",
                   "--dev",
                   "/dev",
                   "--tmpfs",
                   "/tmp",
                   "--tmpfs",
                   "/work",
                   "--chdir",
                   "/work",
                   "--unshare-all",
                   "--new-session",
                   "--die-with-parent",
                   "--cap-drop",
                   "ALL",
                   "--clearenv",
                   kPython,
                   "-c",
                   "pass"},
                  have("/usr/bin/bwrap") ? "" : "bubblewrap is not installed"};
  peers.push_back(std::move(bubblewrap));
  Peer runc{
      "runc",
      {"/usr/sbin/runc", "run", "--bundle", make_runc_bundle(scratch), "glovebox-bench-" + std::to_string(::getpid())},
      ""};
  if (!have("/usr/sbin/runc")) {
    runc.skipped = "runc is not installed";
  } else if (::geteuid() != 0) {
    runc.skipped = "runc needs root here";
  }
  peers.push_back(std::move(runc));
  return peers;
}

std::optional<double> time_command(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (const std::string& word : command) {
    argv.push_back(const_cast<char*>(word.c_str()));
  }
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  const auto start = std::chrono::steady_clock::now();
  pid_t pid = 0;
  const int problem = ::posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) {
    return std::nullopt;
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? std::optional(ms) : std::nullopt;
}

}  // namespace glovebox::bench

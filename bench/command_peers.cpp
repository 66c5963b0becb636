#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "bench/command_peer.h"
#include "os/files.h"

namespace glovebox::bench {
namespace {

using base::Result;

bool runnable(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

// "" when the interpreter and the package that the workload needs are on this host.
std::string host_cannot_run(const Workload& workload) {
  const std::string interpreter = interpreter_words(workload).front();
  if (!runnable(interpreter)) {
    return interpreter + " is not installed";
  }
  if (!workload.package.empty() && !os::path_exists("/usr/lib/python3/dist-packages/" + workload.package)) {
    return workload.package + " is not installed for " + interpreter;
  }
  return "";
}

std::unique_ptr<Peer> make(const char* id, const char* title, const CommandSurroundings& around,
                           CommandPeerParts parts) {
  return std::make_unique<CommandPeer>(id, title, around.scratch, std::move(parts));
}

// The interpreter as anybody starts it: no wall at all.
std::unique_ptr<Peer> bare(const CommandSurroundings& around) {
  CommandPeerParts parts;
  parts.cannot_run = host_cannot_run;
  parts.command = [](const Workload& workload, const CommandPlace& place) -> Result<Command> {
    Command command;
    command.words = interpreter_words(workload);
    command.directory = place.work;
    return command;
  };
  return make("bare", "bare interpreter", around, std::move(parts));
}

// A cold cell starts Python without its `site` step; this row keeps the comparison honest.
std::unique_ptr<Peer> bare_without_site(const CommandSurroundings& around) {
  CommandPeerParts parts;
  parts.cannot_run = [](const Workload& workload) -> std::string {
    return workload.id == "print" || workload.id == "pass" ? host_cannot_run(workload)
                                                           : "only pass and print are run with -S";
  };
  parts.command = [](const Workload& workload, const CommandPlace& place) -> Result<Command> {
    Command command;
    command.words = interpreter_words(workload);
    command.words.insert(command.words.begin() + 1, "-S");
    command.directory = place.work;
    return command;
  };
  return make("bare-s", "bare python3 -S", around, std::move(parts));
}

// Comparable with a cell: own namespaces of every kind, /usr read-only, no network, a private /tmp and /proc.
std::unique_ptr<Peer> bubblewrap(const CommandSurroundings& around) {
  CommandPeerParts parts;
  parts.missing = runnable("/usr/bin/bwrap") ? "" : "bubblewrap is not installed (package bubblewrap)";
  parts.cannot_run = host_cannot_run;
  parts.command = [](const Workload& workload, const CommandPlace& place) -> Result<Command> {
    Command command;
    command.words = {"/usr/bin/bwrap", "--ro-bind", "/usr", "/usr"};
    const auto add = [&](std::initializer_list<const char*> words) {
      command.words.insert(command.words.end(), words.begin(), words.end());
    };
    add({"--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64"});
    add({"--ro-bind", "/etc/alternatives", "/etc/alternatives", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"});
    add({"--bind", place.work.c_str(), "/work", "--chdir", "/work", "--unshare-all", "--new-session"});
    add({"--die-with-parent", "--cap-drop", "ALL", "--clearenv", "--setenv", "PATH", "/usr/bin:/bin"});
    const auto program = interpreter_words(workload);
    command.words.insert(command.words.end(), program.begin(), program.end());
    return command;
  };
  return make("bubblewrap", "bubblewrap", around, std::move(parts));
}

std::string runc_config(const Workload& workload, const std::string& work) {
  using nlohmann::json;
  const auto mount = [](const char* where, const char* type, const std::string& source, json options) {
    return json{{"destination", where}, {"type", type}, {"source", source}, {"options", std::move(options)}};
  };
  const json read_only = {"rbind", "ro", "nosuid", "nodev"};
  const json process = {{"terminal", false},
                        {"user", {{"uid", 1000}, {"gid", 1000}}},
                        {"args", interpreter_words(workload)},
                        {"env", {"PATH=/usr/bin:/bin"}},
                        {"cwd", "/work"},
                        {"noNewPrivileges", true},
                        {"capabilities", json::object()}};
  json namespaces = json::array();
  for (const char* type : {"pid", "network", "ipc", "uts", "mount"}) {
    namespaces.push_back({{"type", type}});
  }
  const json config = {
      {"ociVersion", "1.0.2"},
      {"process", process},
      {"root", {{"path", "rootfs"}, {"readonly", true}}},
      {"hostname", "bench"},
      {"mounts",
       {mount("/proc", "proc", "proc", json::array()), mount("/usr", "bind", "/usr", read_only),
        mount("/etc/alternatives", "bind", "/etc/alternatives", read_only),
        mount("/tmp", "tmpfs", "tmpfs", {"nosuid", "nodev", "size=64m"}),
        mount("/dev", "tmpfs", "tmpfs", {"nosuid", "size=1m"}), mount("/work", "bind", work, {"rbind", "rw"})}},
      {"linux",
       {{"namespaces", namespaces}, {"resources", {{"memory", {{"limit", 268435456}}}, {"pids", {{"limit", 64}}}}}}}};
  return config.dump();
}

// As root: with a root of its own made of the host's /usr, limits, and the namespaces that runc's own template has.
std::unique_ptr<Peer> runc(const CommandSurroundings& around) {
  CommandPeerParts parts;
  if (!runnable("/usr/sbin/runc")) {
    parts.missing = "runc is not installed (package runc)";
  } else if (::geteuid() != 0) {
    parts.missing = "runc needs root for this comparison";
  }
  parts.cannot_run = host_cannot_run;
  parts.command = [state = around.scratch + "/runc-state"](const Workload& workload,
                                                           const CommandPlace& place) -> Result<Command> {
    static std::atomic<std::uint64_t> containers{0};
    if (!os::path_exists(place.spare + "/config.json")) {
      for (const char* name : {"proc", "usr", "tmp", "dev", "work", "etc/alternatives"}) {
        std::error_code problem;  // others must be able to enter: the program runs as an ordinary user
        std::filesystem::create_directories(place.spare + "/rootfs/" + name, problem);
      }
      for (const char* name : {"bin", "lib", "lib64"}) {
        (void)!::symlink((std::string("usr/") + name).c_str(), (place.spare + "/rootfs/" + name).c_str());
      }
      TRY_STATUS(os::replace_file(place.spare + "/config.json", runc_config(workload, place.work)));
    }
    const std::string name = "glovebox-bench-" + std::to_string(::getpid()) + "-" + std::to_string(++containers);
    Command command;
    command.words = {"/usr/sbin/runc", "--root", state, "run", "--bundle", place.spare, name};
    return command;
  };
  return make("runc", "runc", around, std::move(parts));
}

// Python compiled to WebAssembly, in a fresh Node: what people use when they have no sandbox at all.
std::unique_ptr<Peer> pyodide(const CommandSurroundings& around) {
  CommandPeerParts parts;
  if (around.pyodide.empty()) {
    parts.missing = "the npm package pyodide is not installed: run bench/pyodide/install.sh";
  } else if (!runnable("/usr/bin/node")) {
    parts.missing = "/usr/bin/node is not installed";
  }
  parts.cannot_run = [](const Workload& workload) -> std::string {
    if (workload.language != "python") {
      return "Pyodide runs Python only";
    }
    return workload.package.empty() ? "" : "the npm package does not contain " + workload.package;
  };
  parts.command = [script = around.pyodide + "/run.mjs"](const Workload& workload,
                                                         const CommandPlace& place) -> Result<Command> {
    Command command;
    command.words = {"/usr/bin/node", script, program_name(workload)};
    command.directory = place.work;
    return command;
  };
  return make("pyodide", "Pyodide in Node", around, std::move(parts));
}

// `glovebox run`: the whole program, which starts, builds a cold cell and cleans up.
std::unique_ptr<Peer> glovebox_command(const CommandSurroundings& around) {
  CommandPeerParts parts;
  parts.missing = runnable(around.glovebox) ? "" : "the program glovebox is not at " + around.glovebox;
  parts.cannot_run = host_cannot_run;
  parts.artifacts_in_spare = true;
  parts.command = [around](const Workload& workload, const CommandPlace& place) -> Result<Command> {
    Command command;
    command.words = {around.glovebox, "run", "--quiet", "--language", workload.language, "--code", workload.code};
    const auto add = [&](std::initializer_list<std::string> words) {
      command.words.insert(command.words.end(), words.begin(), words.end());
    };
    for (const auto& [name, bytes] : workload.files) {
      add({"--file", name});
    }
    if (!workload.expected_artifacts.empty()) {
      add({"--collect", "*.txt", "--artifacts", place.spare});
      add({"--artifact-count", std::to_string(workload.expected_artifacts.size())});
    }
    command.directory = place.work;
    for (const char* name : {"HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
                             "DBUS_SESSION_BUS_ADDRESS"}) {
      if (const char* value = ::getenv(name); value != nullptr) {
        command.environment.push_back(std::string(name) + "=" + value);
      }
    }
    if (!around.cgroup.empty()) {
      command.environment.push_back("GLOVEBOX_CGROUP=" + around.cgroup);
    }
    return command;
  };
  return make("command", "glovebox run", around, std::move(parts));
}

}  // namespace

std::vector<std::unique_ptr<Peer>> command_peers(const CommandSurroundings& surroundings) {
  std::vector<std::unique_ptr<Peer>> peers;
  peers.push_back(bare(surroundings));
  peers.push_back(bare_without_site(surroundings));
  peers.push_back(bubblewrap(surroundings));
  peers.push_back(runc(surroundings));
  peers.push_back(pyodide(surroundings));
  peers.push_back(glovebox_command(surroundings));
  return peers;
}

}  // namespace glovebox::bench

// For the tests of what survives and what is left: the processes and control groups of this host, seen from outside.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "os/files.h"

namespace glovebox::runner {

struct Process {
  pid_t parent = 0;
  char state = '?';
  std::string name;  // what the process calls itself
  std::string command;
};

inline std::map<pid_t, Process> processes() {
  std::map<pid_t, Process> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) {
      continue;
    }
    // Not through a stream: one throws when the process goes away between opening and reading.
    const std::string stat = os::read_file(entry.path() / "stat").value_or("");
    const std::size_t end = stat.rfind(')');
    if (end == std::string::npos) {
      continue;
    }
    Process process;
    process.state = stat[end + 2];
    process.parent = std::stoi(stat.substr(end + 4));
    process.name = stat.substr(stat.find('(') + 1, end - stat.find('(') - 1);
    process.command = os::read_file(entry.path() / "cmdline").value_or("");
    found[std::stoi(name)] = process;
  }
  return found;
}

// All below `root`, by the way their ancestors lead to it; the dead are left out.
inline std::map<pid_t, Process> below(pid_t root) {
  const std::map<pid_t, Process> all = processes();
  std::map<pid_t, Process> found;
  for (const auto& [pid, process] : all) {
    pid_t ancestor = process.parent;
    while (ancestor != root && all.contains(ancestor)) {
      ancestor = all.at(ancestor).parent;
    }
    if (ancestor == root && process.state != 'Z' && process.state != 'X') {
      found[pid] = process;
    }
  }
  return found;
}

inline std::set<std::string> own_groups() {
  std::set<std::string> found;
  const std::string mine = "glovebox." + std::to_string(::getpid()) + ".";
  std::error_code ignored;
  for (auto at = std::filesystem::recursive_directory_iterator(
           "/sys/fs/cgroup", std::filesystem::directory_options::skip_permission_denied, ignored);
       at != std::filesystem::recursive_directory_iterator(); at.increment(ignored)) {
    if (at->path().filename().string().starts_with(mine)) {
      found.insert(at->path());
    }
  }
  return found;
}

}  // namespace glovebox::runner

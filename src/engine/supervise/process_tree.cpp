#include "engine/supervise/process_tree.h"

#include <dirent.h>
#include <unistd.h>

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "os/files.h"

namespace glovebox::engine {
namespace {

constexpr std::size_t kMaxProcesses = 4096;
constexpr std::uint64_t kMicrosPerSecond = 1'000'000;

std::vector<int> numbers(std::string_view text) {
  std::vector<int> values;
  std::size_t index = 0;
  while (index < text.size()) {
    int value = 0;
    const auto [end, problem] = std::from_chars(text.data() + index, text.data() + text.size(), value);
    if (problem == std::errc()) {
      values.push_back(value);
      index = static_cast<std::size_t>(end - text.data());
    } else {
      ++index;
    }
  }
  return values;
}

// Fields 14 to 17 of /proc/<pid>/stat: user, system, waited-for user, waited-for system time in ticks.
std::uint64_t cpu_us_of(const std::string& process) {
  const std::string stat = os::read_file(process + "/stat").value_or("");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) {
    return 0;
  }
  std::uint64_t ticks = 0;
  std::size_t start = name_end + 2;
  for (int field = 3; field <= 17 && start < stat.size(); ++field) {
    const std::size_t end = std::min(stat.find(' ', start), stat.size());
    if (field >= 14) {
      std::uint64_t value = 0;
      std::from_chars(stat.data() + start, stat.data() + end, value);
      ticks += value;
    }
    start = end + 1;
  }
  return ticks * kMicrosPerSecond / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
}

std::uint64_t memory_of(const std::string& process) {
  if (const auto rollup = os::read_file(process + "/smaps_rollup"); rollup) {
    if (const auto kib = os::number_after(*rollup, "Pss:"); kib) {
      return *kib * 1024;
    }
  }
  const auto status = os::read_file(process + "/status");
  const auto kib = status ? os::number_after(*status, "VmRSS:") : std::nullopt;
  return kib.value_or(0) * 1024;
}

// The children of every thread; the number of threads goes to `threads`.
std::vector<int> children_of(const std::string& process, std::uint64_t& threads) {
  std::vector<int> children;
  const std::string tasks = process + "/task";
  DIR* directory = ::opendir(tasks.c_str());
  if (directory == nullptr) {
    return children;
  }
  while (const dirent* entry = ::readdir(directory)) {
    if (entry->d_name[0] == '.') {
      continue;
    }
    ++threads;
    const auto text = os::read_file(tasks + "/" + entry->d_name + "/children");
    const auto found = numbers(text.value_or(""));
    children.insert(children.end(), found.begin(), found.end());
  }
  ::closedir(directory);
  return children;
}

}  // namespace

TreeUsage measure_tree(int first_pid) {
  TreeUsage usage;
  std::vector<int> pending = {first_pid};
  std::size_t visited = 0;
  while (!pending.empty() && visited++ < kMaxProcesses) {
    const int pid = pending.back();
    pending.pop_back();
    const std::string process = "/proc/" + std::to_string(pid);
    std::uint64_t threads = 0;
    const auto children = children_of(process, threads);
    usage.cpu_us += cpu_us_of(process);
    if (pid != first_pid) {
      usage.memory_bytes += memory_of(process);
      usage.tasks += threads;
    }
    pending.insert(pending.end(), children.begin(), children.end());
  }
  return usage;
}

}  // namespace glovebox::engine

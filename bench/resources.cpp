#include "bench/resources.h"

#include <linux/kcmp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>

#include "os/files.h"

namespace glovebox::bench {
namespace {

namespace fs = std::filesystem;

std::string proc(pid_t pid, const char* file) { return "/proc/" + std::to_string(pid) + "/" + file; }

std::optional<pid_t> to_pid(const std::string& text) {
  pid_t pid = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), pid);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(pid) : std::nullopt;
}

struct Kinship {
  char state = 'X';
  pid_t parent = 0;
};

std::optional<Kinship> kinship_of(pid_t pid) {
  const std::string stat = os::read_file(proc(pid, "stat")).value_or("");
  const std::size_t name_end = stat.rfind(") ");  // the name may hold anything
  if (name_end == std::string::npos || name_end + 4 >= stat.size()) {
    return std::nullopt;
  }
  const std::size_t begin = name_end + 4;  // ") S "
  const auto parent = to_pid(stat.substr(begin, stat.find(' ', begin) - begin));
  return parent ? std::optional(Kinship{stat[name_end + 2], *parent}) : std::nullopt;
}

std::uint64_t kilobytes_after(const std::string& text, std::string_view key) {
  return os::number_after(text, key).value_or(0) << 10U;
}

// A program and the keeper of its memory. Where the kernel cannot tell, they count as two.
bool share_memory(pid_t one, pid_t other) { return ::syscall(SYS_kcmp, one, other, KCMP_VM, 0, 0) == 0; }

// Whether nobody of those before shares its memory; it is one of them from now on.
bool counts_alone(pid_t pid, std::vector<pid_t>& before) {
  if (std::any_of(before.begin(), before.end(), [pid](pid_t other) { return share_memory(pid, other); })) {
    return false;
  }
  before.push_back(pid);
  return true;
}

std::uint64_t entries_of(const std::string& directory) {
  std::error_code problem;
  return static_cast<std::uint64_t>(
      std::distance(fs::directory_iterator(directory, problem), fs::directory_iterator()));
}

std::uint64_t mounts_of(pid_t pid) {
  const std::string text = os::read_file(proc(pid, "mountinfo")).value_or("");
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

std::uint64_t groups_below(const std::string& place, const std::string& prefix) {
  std::uint64_t groups = 0;
  std::error_code problem;
  for (fs::directory_iterator entry(place, problem), end; entry != end; entry.increment(problem)) {
    if (entry->path().filename().string().starts_with(prefix) && entry->is_directory(problem)) {
      groups += 1 + groups_below(entry->path(), prefix);
    }
  }
  return groups;
}

// Groups have the names of their makers: glovebox.PID.…
std::uint64_t groups_of_this_process(const os::CgroupSite& site) {
  std::vector<std::string> places = {site.memory, site.pids, site.cpu, site.unified};
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::uint64_t groups = 0;
  for (const std::string& place : places) {
    groups += place.empty() ? 0 : groups_below(place, "glovebox." + std::to_string(::getpid()) + ".");
  }
  return groups;
}

}  // namespace

std::vector<pid_t> descendants(pid_t root) {
  std::multimap<pid_t, pid_t> children;
  std::error_code problem;
  for (fs::directory_iterator entry("/proc", problem), end; entry != end; entry.increment(problem)) {
    if (const auto pid = to_pid(entry->path().filename()); pid) {
      if (const auto kinship = kinship_of(*pid); kinship) {
        children.emplace(kinship->parent, *pid);
      }
    }
  }
  std::vector<pid_t> found;
  std::vector<pid_t> open = {root};
  while (!open.empty()) {
    const auto [begin, end] = children.equal_range(open.back());
    open.pop_back();
    for (auto child = begin; child != end; ++child) {
      found.push_back(child->second);
      open.push_back(child->second);
    }
  }
  return found;
}

ResourceSample sample_resources(const os::CgroupSite& site) {
  ResourceSample sample;
  const pid_t self = ::getpid();
  sample.own_bytes = kilobytes_after(os::read_file(proc(self, "status")).value_or(""), "RssAnon:");
  sample.own_descriptors = entries_of(proc(self, "fd"));
  sample.own_mounts = mounts_of(self);
  sample.groups = groups_of_this_process(site);
  const std::vector<pid_t> below = descendants(self);
  sample.processes = below.size();
  std::set<std::string> namespaces;
  std::vector<pid_t> memories;
  for (const pid_t pid : below) {
    sample.below_descriptors += entries_of(proc(pid, "fd"));
    std::error_code problem;
    if (namespaces.insert(fs::read_symlink(proc(pid, "ns/mnt"), problem)).second) {
      sample.below_mounts += mounts_of(pid);
    }
    if (counts_alone(pid, memories)) {
      sample.below_bytes += kilobytes_after(os::read_file(proc(pid, "smaps_rollup")).value_or(""), "Pss_Anon:");
    }
    // The kernel keeps fifteen letters of a name. A cell's first process is a clone of the launcher and has its name,
    // but another parent.
    const auto kinship = kinship_of(pid);
    if (kinship && kinship->parent == self &&
        os::read_file(proc(pid, "comm")).value_or("").starts_with("glovebox-launch")) {
      sample.launcher_bytes += kilobytes_after(os::read_file(proc(pid, "status")).value_or(""), "RssAnon:");
      sample.launcher_descriptors += entries_of(proc(pid, "fd"));
      sample.launcher_mounts += mounts_of(pid);
    }
  }
  return sample;
}

std::optional<std::uint64_t> private_bytes(const std::vector<pid_t>& processes) {
  std::uint64_t total = 0;
  std::vector<pid_t> counted;
  for (const pid_t pid : processes) {
    if (!counts_alone(pid, counted)) {
      continue;
    }
    const auto text = os::read_file(proc(pid, "smaps_rollup"));
    if (!text) {
      if (const auto kinship = kinship_of(pid); kinship && kinship->state != 'Z' && kinship->state != 'X') {
        return std::nullopt;
      }
      continue;  // it has ended
    }
    total += kilobytes_after(*text, "Private_Clean:") + kilobytes_after(*text, "Private_Dirty:");
  }
  return total;
}

}  // namespace glovebox::bench

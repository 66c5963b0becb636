#include "os/cgroup_site.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <initializer_list>

#include "os/files.h"
#include "os/systemd_scope.h"

namespace glovebox::os {
namespace {

constexpr std::string_view kGroupPrefix = "glovebox.";

bool writable(const std::string& path) { return ::access(path.c_str(), W_OK) == 0; }

bool has_word(const std::string& file, std::string_view word) {
  std::string text = " " + read_file(file).value_or("") + " ";
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.find(" " + std::string(word) + " ") != std::string::npos;
}

// The controllers that we want of a cgroup2 tree: those that do not live on v1 here.
std::vector<std::string> wanted_of_v2(const CgroupLayout& layout) {
  std::vector<std::string> wanted;
  const auto want = [&](const std::optional<ControllerPlace>& place, const char* name) {
    if (place && place->version == 2) {
      wanted.emplace_back(name);
    }
  };
  want(layout.memory, "memory");
  want(layout.pids, "pids");
  want(layout.cpu, "cpu");
  return wanted;
}

bool hands_out(const std::string& directory, const std::vector<std::string>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const std::string& name) { return has_word(directory + "/cgroup.subtree_control", name); });
}

// Turns controllers on for the children of `directory`: all or none, in one write. A group with processes that was
// given only those which threads can share would become threaded, and no process could ever be moved below it.
bool enable(const std::string& directory, const std::vector<std::string>& wanted) {
  std::string words;
  for (const std::string& name : wanted) {
    words += (words.empty() ? "+" : " +") + name;
  }
  return hands_out(directory, wanted) ||
         write_file_at(AT_FDCWD, (directory + "/cgroup.subtree_control").c_str(), words).has_value();
}

bool enter(const std::string& directory) {
  return write_file_at(AT_FDCWD, (directory + "/cgroup.procs").c_str(), "0").has_value();
}

std::string leaf_of(const std::string& directory) {
  return directory + "/" + std::string(kGroupPrefix) + std::to_string(::getpid()) + ".supervisor";
}

// Moves this process (and nothing else) into a leaf, so that its old group may hand out controllers.
bool retreat_to_leaf(const std::string& directory) {
  const std::string leaf = leaf_of(directory);
  if (::mkdir(leaf.c_str(), 0755) != 0 && errno != EEXIST) {
    return false;
  }
  if (!enter(leaf)) {
    ::rmdir(leaf.c_str());
    return false;
  }
  return true;
}

// It was of no use: nobody would ever remove the leaf of a process that goes on elsewhere.
void leave_leaf(const std::string& directory) {
  if (enter(directory)) {
    ::rmdir(leaf_of(directory).c_str());
  }
}

bool can_create_in(const std::string& directory) {
  return writable(directory) && writable(directory + "/cgroup.procs");
}

// Finds a cgroup2 directory whose children get the wanted controllers; empty if there is none.
std::string find_v2_parent(const CgroupLayout& layout, const std::vector<std::string>& wanted, std::string& reason) {
  std::string own = layout.unified->directory;
  if (wanted.empty() || hands_out(own, wanted)) {
    return can_create_in(own) ? own : "";
  }
  std::string parent = own.substr(0, own.rfind('/'));
  const bool below_mount = parent.size() >= layout.unified_mount.size();
  if (::geteuid() != 0 && below_mount && can_create_in(parent) && writable(parent + "/cgroup.subtree_control") &&
      enable(parent, wanted)) {
    return parent;
  }
  if (!can_create_in(own) || !writable(own + "/cgroup.subtree_control")) {
    reason = "the control group " + own + " is not delegated to this user";
    return "";
  }
  if (enable(own, wanted)) {  // the root group may hold processes and hand out controllers
    return own;
  }
  if (!retreat_to_leaf(own)) {
    reason = "cannot create a group below " + own;
    return "";
  }
  if (enable(own, wanted)) {
    return own;
  }
  leave_leaf(own);
  reason = "other processes share the control group " + own + ", so that it cannot hand out controllers";
  return "";
}

void use_v1(const std::optional<ControllerPlace>& place, std::string& target) {
  if (place && place->version == 1 && writable(place->directory)) {
    target = place->directory;
  }
}

void resolve(CgroupSite& site, ScopePolicy scope) {
  CgroupLayout& layout = site.layout;
  if (const char* named = std::getenv("GLOVEBOX_CGROUP"); named != nullptr && *named != '\0' && layout.unified) {
    layout.unified->directory = named;
  }
  use_v1(layout.memory, site.memory);
  use_v1(layout.pids, site.pids);
  use_v1(layout.cpu, site.cpu);
  if (layout.unified) {
    const auto wanted = wanted_of_v2(layout);
    std::string parent = find_v2_parent(layout, wanted, site.reason);
    if (parent.empty() && !wanted.empty() && scope == ScopePolicy::ask_systemd) {
      if (const auto moved = enter_delegated_scope(); moved) {
        if (auto fresh = find_cgroup_layout(); fresh) {
          layout = *fresh;
          parent = find_v2_parent(layout, wanted, site.reason);
        }
      } else {
        site.reason += (site.reason.empty() ? "" : "; ") + moved.error().message;
      }
    }
    site.unified = parent;
    if (!parent.empty()) {
      const auto adopt = [&](const std::optional<ControllerPlace>& place, std::string& target) {
        if (place && place->version == 2) {
          target = parent;
        }
      };
      adopt(layout.memory, site.memory);
      adopt(layout.pids, site.pids);
      adopt(layout.cpu, site.cpu);
    }
  }
  if (site.unified.empty()) {
    use_v1(layout.cpuacct, site.cpuacct);
  }
}

void explain_missing(CgroupSite& site) {
  const auto need = [&](const std::string& directory, const char* name, const std::optional<ControllerPlace>& place) {
    if (!directory.empty()) {
      return;
    }
    site.missing.emplace_back(name);
    if (site.reason.empty()) {
      site.reason = place ? "the control group " + place->directory + " is not writable for this user"
                          : std::string("no cgroup gives this user the ") + name + " controller";
    }
  };
  need(site.memory, "memory", site.layout.memory);
  need(site.pids, "pids", site.layout.pids);
  need(site.cpu, "cpu", site.layout.cpu);
  // Who cannot count CPU time as it is used cannot limit it.
  need(site.unified.empty() ? site.cpuacct : site.unified, "cpuacct", site.layout.cpuacct);
  if (site.missing.empty()) {
    site.reason.clear();
    return;
  }
  const std::string mode = site.layout.mode();
  if (mode == "none") {
    site.remedy = "mount cgroup2 on /sys/fs/cgroup";
  } else if (mode == "v2") {
    site.remedy = "start it in a delegated scope: systemd-run --user --scope -p Delegate=yes glovebox run …";
  } else {
    site.remedy =
        "run as root, or have root create groups of the memory, pids, cpu and cpuacct hierarchies for you and start "
        "your shell in them";
  }
  site.remedy += "; or accept weaker limits with --degraded";
}

// A directory of cgroupfs counts its children in its link count; reading one with many files is what costs.
bool may_have_children(const std::string& directory, unsigned beside_own) {
  struct stat status {};
  return ::stat(directory.c_str(), &status) == 0 && status.st_nlink > 2 + beside_own;
}

bool process_alive(std::string_view pid_text) {
  int pid = 0;
  const auto [end, problem] = std::from_chars(pid_text.data(), pid_text.data() + pid_text.size(), pid);
  return problem != std::errc() || end != pid_text.data() + pid_text.size() || pid <= 0 ||
         path_exists("/proc/" + std::to_string(pid));
}

// The group of a pool has groups of cells in it.
bool remove_with_children(const std::string& path) {
  if (may_have_children(path, 0)) {
    DIR* directory = ::opendir(path.c_str());
    while (const dirent* entry = directory != nullptr ? ::readdir(directory) : nullptr) {
      if (std::string_view(entry->d_name).starts_with(kGroupPrefix)) {
        ::rmdir((path + "/" + entry->d_name).c_str());
      }
    }
    if (directory != nullptr) {
      ::closedir(directory);
    }
  }
  return ::rmdir(path.c_str()) == 0;
}

}  // namespace

CgroupSite find_cgroup_site(ScopePolicy scope) {
  auto layout = find_cgroup_layout();
  if (layout) {
    return find_cgroup_site(std::move(*layout), scope);
  }
  CgroupSite site;
  site.reason = layout.error().message;
  explain_missing(site);
  return site;
}

CgroupSite find_cgroup_site(CgroupLayout layout, ScopePolicy scope) {
  CgroupSite site;
  site.layout = std::move(layout);
  resolve(site, scope);
  explain_missing(site);
  return site;
}

base::Result<DelegatedSite> DelegatedSite::create(const CgroupSite& site, std::uint32_t owner) {
  CgroupSite own = site;
  own.owner = owner;
  if (site.unified.empty()) {
    return DelegatedSite(std::move(own), "");
  }
  static std::atomic<unsigned> counter{0};
  const std::string path = site.unified + "/" + std::string(kGroupPrefix) + std::to_string(::getpid()) + ".pool" +
                           std::to_string(counter.fetch_add(1));
  if (::mkdir(path.c_str(), 0755) != 0) {
    return base::fail(
        base::errno_error(base::ErrorCode::setup_failed, "cgroup_create", "cannot create the control group " + path));
  }
  DelegatedSite delegated(std::move(own), path);
  if (!enable(path, wanted_of_v2(site.layout)) ||
      ::chown((path + "/cgroup.procs").c_str(), owner, static_cast<gid_t>(-1)) != 0) {
    return base::fail(
        base::errno_error(base::ErrorCode::setup_failed, "cgroup_create", "cannot hand out the control group " + path));
  }
  for (std::string* place : {&delegated.site_.memory, &delegated.site_.pids, &delegated.site_.cpu}) {
    if (*place == site.unified) {
      *place = path;
    }
  }
  delegated.site_.unified = path;
  return delegated;
}

DelegatedSite::~DelegatedSite() {
  if (!path_.empty()) {
    (void)remove_group(path_);
  }
}

int sweep_stale_groups(const CgroupSite& site, unsigned own_groups) {
  int removed = 0;
  std::vector<std::string> parents = {site.memory, site.pids, site.cpu, site.cpuacct, site.unified};
  std::sort(parents.begin(), parents.end());
  parents.erase(std::unique(parents.begin(), parents.end()), parents.end());
  for (const std::string& parent : parents) {
    DIR* directory = parent.empty() || !may_have_children(parent, own_groups) ? nullptr : ::opendir(parent.c_str());
    if (directory == nullptr) {
      continue;
    }
    while (const dirent* entry = ::readdir(directory)) {
      std::string_view name = entry->d_name;
      if (!name.starts_with(kGroupPrefix)) {
        continue;
      }
      const std::string path = parent + "/" + entry->d_name;
      name.remove_prefix(kGroupPrefix.size());
      if (!process_alive(name.substr(0, name.find('.')))) {
        removed += remove_with_children(path) ? 1 : 0;
      }
    }
    ::closedir(directory);
  }
  return removed;
}

}  // namespace glovebox::os

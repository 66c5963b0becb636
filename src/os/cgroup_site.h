// The place below which the groups of cells are created, and whether limits can be enforced there.
//
// A site is found once per process. Groups are only ever created below this process's own group (or a group that was
// delegated to it), and only this process itself is ever moved. Ways that are tried in turn on cgroup v2, where a
// group with processes in it cannot hand out controllers:
//   1. the group named by the operator (GLOVEBOX_CGROUP);
//   2. the own group, if its controllers are handed out already;
//   3. the parent, if we are an ordinary user and it was delegated to us (systemd's DelegateSubgroup=);
//   4. the own group, after moving this process into a leaf of its own;
//   5. a transient scope with Delegate=yes, asked of systemd; then 4 there.
// On v1 the own group serves as it is, if it is writable. A process that finds nothing stays where it was.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "os/cgroup_layout.h"

namespace glovebox::os {

struct CgroupSite {
  CgroupLayout layout;
  // Directories for the groups of cells; empty where that controller cannot be used.
  std::string memory;
  std::string pids;
  std::string cpu;
  std::string cpuacct;                 // v1, and only where there is no cgroup2 tree that counts CPU time
  std::string unified;                 // for cgroup.kill, cpu.stat and CLONE_INTO_CGROUP
  std::vector<std::string> missing;    // "memory", "pids", "cpu", "cpuacct"
  std::string reason;                  // why something is missing, for people
  std::string remedy;                  // the exact thing to do about it
  std::optional<std::uint32_t> owner;  // the user whose processes may be born into groups made here; none: only ours

  // The limits that matter for safety; without cpu a run would only be less fair, but L8 wants it too.
  [[nodiscard]] bool complete() const { return missing.empty(); }
};

enum class ScopePolicy { ask_systemd, stay };

// Never fails: a host without usable groups gives a site that says what is missing.
[[nodiscard]] CgroupSite find_cgroup_site(ScopePolicy scope);
// The same for a host that looks like this.
[[nodiscard]] CgroupSite find_cgroup_site(CgroupLayout layout, ScopePolicy scope);

// A group below a site whose cells are born by processes of another user, one without any privilege (a nursery of
// root's). The kernel wants that user to own the list of processes of both ends and of what is above both.
class DelegatedSite {
 public:
  [[nodiscard]] static base::Result<DelegatedSite> create(const CgroupSite& site, std::uint32_t owner);
  DelegatedSite(DelegatedSite&& other) noexcept
      : site_(std::move(other.site_)), path_(std::exchange(other.path_, {})) {}
  DelegatedSite& operator=(DelegatedSite&&) = delete;
  ~DelegatedSite();

  [[nodiscard]] const CgroupSite& site() const { return site_; }

 private:
  DelegatedSite(CgroupSite site, std::string path) : site_(std::move(site)), path_(std::move(path)) {}

  CgroupSite site_;
  std::string path_;  // empty: there is no cgroup2 tree, nothing was made
};

// Waits for up to five seconds for the kernel to let go of the dead.
[[nodiscard]] base::Status remove_group(const std::string& path);

// Removes groups left behind below the site by processes of ours that were killed. Returns how many. `own_groups` is
// how many of ours exist now: places with no more than these are not even looked at.
int sweep_stale_groups(const CgroupSite& site, unsigned own_groups);

}  // namespace glovebox::os

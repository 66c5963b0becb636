// Where this process sits in every cgroup hierarchy, controller by controller.
//
// Hosts come in three modes: pure v2, pure v1, and hybrid, where limits live on v1 and a cgroup2 tree without
// controllers still gives cgroup.kill and cpu.stat. So nothing is assumed of the host as a whole: each controller is
// found separately in mountinfo and /proc/self/cgroup. Finding reads text only; nothing is created or changed here.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace glovebox::os {

struct ControllerPlace {
  int version = 0;        // 1 or 2
  std::string directory;  // this process's own group in that hierarchy
  bool operator==(const ControllerPlace&) const = default;
};

struct CgroupLayout {
  std::optional<ControllerPlace> memory;
  std::optional<ControllerPlace> pids;
  std::optional<ControllerPlace> cpu;
  std::optional<ControllerPlace> cpuacct;  // v1 only: a cgroup2 tree counts CPU time by itself
  std::optional<ControllerPlace> unified;  // the cgroup2 tree, with or without controllers
  std::string unified_mount;               // its mount point
  bool operator==(const CgroupLayout&) const = default;

  // "v2", "v1", "hybrid" or "none".
  [[nodiscard]] std::string mode() const;
};

// `read_controllers` gives the content of cgroup.controllers of a cgroup2 directory.
[[nodiscard]] CgroupLayout parse_cgroup_layout(std::string_view mountinfo, std::string_view self_cgroup,
                                               const std::function<std::string(const std::string&)>& read_controllers);
[[nodiscard]] base::Result<CgroupLayout> find_cgroup_layout();

}  // namespace glovebox::os

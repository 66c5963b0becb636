// The control groups of one cell: created with limits, read while it runs, removed when it is dead.
//
// Descriptors only: unified_fd() goes into clone3 (CLONE_INTO_CGROUP). On v1 there is no such thing, and moving another
// process costs a grace period of RCU (20 ms on an idle host); so the cell's first process moves itself by writing "0"
// to each of task_fds(), which takes no lock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "os/cgroup_site.h"

namespace glovebox::os {

struct CgroupLimits {
  std::uint64_t memory_bytes = 0;
  std::uint64_t processes = 0;
  std::uint64_t cpu_percent = 100;
  bool operator==(const CgroupLimits&) const = default;
};

struct CgroupUsage {
  std::optional<std::uint64_t> cpu_us;
  std::optional<std::uint64_t> peak_memory_bytes;
  std::optional<std::uint64_t> peak_processes;  // of the program
  std::uint64_t oom_kills = 0;
  std::uint64_t refused_forks = 0;
};

// Where the keeper of a program's memory is counted. One that joins from outside stays out of the v1 group that counts
// processes; one that the runtime split off is in all groups.
enum class KeeperPlace { none, joins, inside };

class CellCgroup {
 public:
  // Creates what the site can give; site.missing tells what it cannot.
  [[nodiscard]] static base::Result<CellCgroup> create(const CgroupSite& site, const CgroupLimits& limits);

  CellCgroup() = default;
  CellCgroup(CellCgroup&& other) noexcept;
  CellCgroup& operator=(CellCgroup&& other) noexcept;
  CellCgroup(const CellCgroup&) = delete;
  CellCgroup& operator=(const CellCgroup&) = delete;
  ~CellCgroup();

  [[nodiscard]] int unified_fd() const { return unified_.get(); }
  // The group that counts processes comes last.
  [[nodiscard]] std::vector<int> task_fds() const;
  // Since mark(), or since the beginning.
  [[nodiscard]] CgroupUsage usage() const;
  // What is counted from here on is the program's. Returns the CPU time since the last mark, in microseconds.
  std::uint64_t mark();
  // There is or will be a process beside the first one and the program's, which keeps the program's memory. It must not
  // count as one of the program's.
  [[nodiscard]] base::Status expect_keeper(KeeperPlace place);
  // Alive in the group, or not yet rid of their memory and files. Nothing: there is no group to ask.
  [[nodiscard]] std::optional<std::size_t> process_count() const;
  [[nodiscard]] const CgroupLimits& limits() const { return limits_; }
  [[nodiscard]] base::Status set_limits(const CgroupLimits& limits);
  [[nodiscard]] std::optional<std::uint64_t> memory_bytes() const;
  // Makes the group of a dead cell as good as new. False: something in it cannot be set back, or did not go smoothly.
  [[nodiscard]] bool renew();
  // Kills every process in the group: at once where there is a cgroup2 tree, else one by one. False: there is no group.
  // Such a group is not used again: kernels remember it, and kill what is born into it later.
  bool kill_all() const;
  // Removes the groups; waits for up to five seconds for the kernel to let go of the dead. The destructor does the
  // same.
  base::Status remove();

 private:
  struct V1Group {
    base::Fd directory;
    base::Fd tasks;
  };
  [[nodiscard]] base::Status set_up(const CgroupSite& site, const CgroupLimits& limits);
  [[nodiscard]] base::Result<base::Fd> make_group(const std::string& parent);
  [[nodiscard]] base::Result<int> v1_directory(const std::string& parent);
  [[nodiscard]] base::Status set_memory(std::uint64_t bytes);
  [[nodiscard]] base::Status set_processes(std::uint64_t processes);
  [[nodiscard]] base::Status set_cpu(std::uint64_t percent);
  [[nodiscard]] CgroupUsage measured() const;
  // One that every process of the cell is in; -1 if there is none.
  [[nodiscard]] int any_group() const;
  // In the group that counts processes, and not the program's.
  [[nodiscard]] std::uint64_t own_processes() const;

  std::string name_;
  std::vector<std::string> paths_;  // to remove
  base::Fd unified_;
  std::vector<V1Group> v1_;
  int memory_ = -1;  // borrowed from unified_ or v1_
  int pids_ = -1;
  int cpu_ = -1;
  int cpuacct_ = -1;
  bool memory_v1_ = false;
  bool cpu_v1_ = false;
  KeeperPlace keeper_ = KeeperPlace::none;
  CgroupLimits limits_;
  CgroupUsage start_;
  // Opened when first read, and kept: a run asks three times.
  enum Counter : std::size_t { kCpu, kMemoryPeak, kOomKills, kProcessPeak, kRefusedForks, kCounters };
  [[nodiscard]] std::optional<std::uint64_t> read_counter(Counter counter, int directory, const char* name,
                                                          std::string_view key = "") const;
  mutable std::array<base::Fd, kCounters> counters_;
  std::optional<std::uint32_t> owner_;  // while it is being made
  std::string unified_parent_;
};

}  // namespace glovebox::os

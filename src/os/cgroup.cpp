#include "os/cgroup.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <sstream>
#include <thread>
#include <utility>

#include "os/calls.h"
#include "os/files.h"

namespace glovebox::os {
namespace {

using base::errno_error;
using base::ErrorCode;
using base::fail;
using base::Fd;
using base::Result;
using base::Status;

constexpr std::uint64_t kCpuPeriodUs = 100'000;
constexpr auto kRemovePatience = std::chrono::seconds(5);

std::string next_group_name() {
  static std::atomic<std::uint64_t> counter{0};
  return "glovebox." + std::to_string(::getpid()) + "." + std::to_string(counter.fetch_add(1));
}

std::optional<std::uint64_t> read_number(int directory, const char* name, std::string_view key = "") {
  const auto text = read_file_at(directory, name);
  return text ? number_after(*text, key) : std::nullopt;
}

std::vector<pid_t> members_of(int directory) {
  std::vector<pid_t> members;
  const auto text = read_file_at(directory, "cgroup.procs");
  std::istringstream lines(text ? *text : "");
  for (pid_t member = 0; lines >> member;) {
    members.push_back(member);
  }
  return members;
}

// One by one; a number that came to mean another process meanwhile is left alone.
bool kill_members(int directory) {
  for (const pid_t member : members_of(directory)) {
    const base::Fd process(pidfd_open(member));
    const std::vector<pid_t> still = members_of(directory);
    if (process.valid() && std::find(still.begin(), still.end(), member) != still.end()) {
      pidfd_send_signal(process.get(), SIGKILL);
    }
  }
  return true;
}

// /proc/swaps has a heading and one line per swap area.
bool host_swaps() {
  const auto text = read_file("/proc/swaps");
  return !text || text->find('\n') + 1 < text->size();
}

}  // namespace

CellCgroup::CellCgroup(CellCgroup&& other) noexcept { *this = std::move(other); }

CellCgroup& CellCgroup::operator=(CellCgroup&& other) noexcept {
  if (this != &other) {
    (void)remove();
    name_ = std::move(other.name_);
    paths_ = std::exchange(other.paths_, {});
    unified_ = std::move(other.unified_);
    v1_ = std::move(other.v1_);
    counters_ = std::move(other.counters_);
    memory_ = std::exchange(other.memory_, -1);
    pids_ = std::exchange(other.pids_, -1);
    cpu_ = std::exchange(other.cpu_, -1);
    cpuacct_ = std::exchange(other.cpuacct_, -1);
    memory_v1_ = other.memory_v1_;
    keeper_ = other.keeper_;
    cpu_v1_ = other.cpu_v1_;
    limits_ = other.limits_;
    start_ = other.start_;
  }
  return *this;
}

CellCgroup::~CellCgroup() { (void)remove(); }

Result<CellCgroup> CellCgroup::create(const CgroupSite& site, const CgroupLimits& limits) {
  CellCgroup group;
  group.name_ = next_group_name();
  TRY_STATUS(group.set_up(site, limits));
  return group;
}

Result<Fd> CellCgroup::make_group(const std::string& parent) {
  const std::string path = parent + "/" + name_;
  if (::mkdir(path.c_str(), 0755) != 0) {
    return fail(errno_error(ErrorCode::setup_failed, "cgroup_create", "cannot create the control group " + path));
  }
  paths_.push_back(path);
  if (owner_ && parent == unified_parent_ &&
      ::chown((path + "/cgroup.procs").c_str(), *owner_, static_cast<gid_t>(-1)) != 0) {
    return fail(errno_error(ErrorCode::setup_failed, "cgroup_create", "cannot hand out the control group " + path));
  }
  Fd directory(::open(path.c_str(), O_DIRECTORY | O_RDONLY | O_CLOEXEC));
  if (!directory.valid()) {
    return fail(errno_error(ErrorCode::setup_failed, "cgroup_create", "cannot open the control group " + path));
  }
  return directory;
}

// cpu and cpuacct, or all controllers, may share one v1 hierarchy: one directory then.
Result<int> CellCgroup::v1_directory(const std::string& parent) {
  const std::string path = parent + "/" + name_;
  for (std::size_t index = 0; index < v1_.size(); ++index) {
    if (paths_[paths_.size() - v1_.size() + index] == path) {
      return v1_[index].directory.get();
    }
  }
  Fd directory = TRY(make_group(parent));
  Fd tasks(::openat(directory.get(), "tasks", O_WRONLY | O_CLOEXEC));
  if (!tasks.valid()) {
    return fail(errno_error(ErrorCode::setup_failed, "cgroup_create", "cannot open " + path + "/tasks"));
  }
  v1_.push_back({std::move(directory), std::move(tasks)});
  return v1_.back().directory.get();
}

Status CellCgroup::set_up(const CgroupSite& site, const CgroupLimits& limits) {
  owner_ = site.owner;
  unified_parent_ = site.unified;
  if (!site.unified.empty()) {
    unified_ = TRY(make_group(site.unified));
  }
  if (!site.memory.empty()) {
    memory_v1_ = site.layout.memory->version == 1;
    memory_ = memory_v1_ ? TRY(v1_directory(site.memory)) : unified_.get();
    TRY_STATUS(set_memory(limits.memory_bytes));
    if (!memory_v1_) {
      TRY_STATUS(write_file_at(memory_, "memory.oom.group", "1"));
    }
  }
  if (!site.cpu.empty()) {
    cpu_v1_ = site.layout.cpu->version == 1;
    cpu_ = cpu_v1_ ? TRY(v1_directory(site.cpu)) : unified_.get();
    TRY_STATUS(set_cpu(limits.cpu_percent));
  }
  if (!site.cpuacct.empty()) {
    cpuacct_ = TRY(v1_directory(site.cpuacct));
  }
  if (!site.pids.empty()) {
    pids_ = site.layout.pids->version == 1 ? TRY(v1_directory(site.pids)) : unified_.get();
    TRY_STATUS(set_processes(limits.processes));
  }
  limits_ = limits;
  return {};
}

Status CellCgroup::set_limits(const CgroupLimits& limits) {
  if (memory_ >= 0 && limits.memory_bytes != limits_.memory_bytes) {
    TRY_STATUS(set_memory(limits.memory_bytes));
  }
  if (pids_ >= 0 && limits.processes != limits_.processes) {
    TRY_STATUS(set_processes(limits.processes));
  }
  if (cpu_ >= 0 && limits.cpu_percent != limits_.cpu_percent) {
    TRY_STATUS(set_cpu(limits.cpu_percent));
  }
  limits_ = limits;
  return {};
}

Status CellCgroup::set_memory(std::uint64_t bytes) {
  const std::string limit = std::to_string(bytes);
  // Memory with swap can never be less than memory without: when the limit grows, the larger one goes first.
  const bool grows = bytes > limits_.memory_bytes;
  const auto limit_swap = [&] {
    return memory_v1_ ? write_file_at(memory_, "memory.memsw.limit_in_bytes", limit)
                      : write_file_at(memory_, "memory.swap.max", "0");
  };
  Status swapless;
  if (limits_.memory_bytes != 0 && grows) {
    swapless = limit_swap();
  }
  TRY_STATUS(write_file_at(memory_, memory_v1_ ? "memory.limit_in_bytes" : "memory.max", limit));
  if (limits_.memory_bytes == 0 || !grows) {
    swapless = limit_swap();
  }
  // Without swap accounting neither file exists, which matters only on a host that swaps.
  if (!swapless && host_swaps()) {
    return fail(
        base::make_error(ErrorCode::limits_unavailable, "the host swaps, and the swap of a cell cannot be limited")
            .with_hint("boot with swapaccount=1, or turn swap off"));
  }
  return {};
}

Status CellCgroup::set_processes(std::uint64_t processes) {
  return write_file_at(pids_, "pids.max", std::to_string(processes + own_processes()));
}

Status CellCgroup::set_cpu(std::uint64_t percent) {
  const std::string quota = std::to_string(percent * kCpuPeriodUs / 100);
  return cpu_v1_ ? write_file_at(cpu_, "cpu.cfs_quota_us", quota)
                 : write_file_at(cpu_, "cpu.max", quota + " " + std::to_string(kCpuPeriodUs));
}

Status CellCgroup::expect_keeper(KeeperPlace place) {
  keeper_ = place;
  return own_processes() == 1 ? Status() : set_processes(limits_.processes);
}

std::uint64_t CellCgroup::own_processes() const {
  const bool counts_keeper =
      keeper_ == KeeperPlace::inside || (keeper_ == KeeperPlace::joins && pids_ == unified_.get());
  return counts_keeper ? 2 : 1;
}

std::vector<int> CellCgroup::task_fds() const {
  std::vector<int> fds;
  fds.reserve(v1_.size());
  for (const V1Group& group : v1_) {
    fds.push_back(group.tasks.get());
  }
  return fds;
}

CgroupUsage CellCgroup::usage() const {
  CgroupUsage usage = measured();
  if (usage.cpu_us) {
    *usage.cpu_us -= std::min(*usage.cpu_us, start_.cpu_us.value_or(0));
  }
  if (usage.peak_processes) {
    // A peak that was there before the program is not the program's.
    const bool grew = usage.peak_processes > start_.peak_processes;
    const std::uint64_t own = own_processes();
    usage.peak_processes = grew ? *usage.peak_processes - std::min(*usage.peak_processes, own) : 1;
  }
  usage.oom_kills -= std::min(usage.oom_kills, start_.oom_kills);
  usage.refused_forks -= std::min(usage.refused_forks, start_.refused_forks);
  return usage;
}

std::uint64_t CellCgroup::mark() {
  const CgroupUsage now = measured();
  const std::uint64_t before = start_.cpu_us.value_or(0);
  start_ = now;
  return now.cpu_us.value_or(0) - std::min(before, now.cpu_us.value_or(0));
}

std::optional<std::uint64_t> CellCgroup::memory_bytes() const {
  return memory_ >= 0 ? read_number(memory_, memory_v1_ ? "memory.usage_in_bytes" : "memory.current") : std::nullopt;
}

bool CellCgroup::renew() {
  // The peaks cannot be set back everywhere: a group is used again where they can, and where a first process and one
  // program, which every cell has, are all that it has seen.
  constexpr std::uint64_t kEveryCell = 2;
  // Pages of files stay charged to whoever read them first: the next program must neither pay for them nor see them.
  constexpr std::uint64_t kResidue = 4U << 20U;
  if (!memory_v1_ || memory_ < 0 || pids_ < 0) {
    return false;
  }
  const CgroupUsage seen = measured();
  start_ = seen;
  return seen.oom_kills == 0 && seen.refused_forks == 0 && seen.peak_processes.value_or(0) <= kEveryCell &&
         read_number(pids_, "pids.current").value_or(1) == 0 && memory_bytes().value_or(kResidue + 1) <= kResidue &&
         write_file_at(memory_, "memory.max_usage_in_bytes", "0").has_value();
}

std::optional<std::uint64_t> CellCgroup::read_counter(Counter counter, int directory, const char* name,
                                                      std::string_view key) const {
  base::Fd& file = counters_[counter];
  if (!file.valid()) {
    file = base::Fd(::openat(directory, name, O_RDONLY | O_CLOEXEC));
  }
  std::array<char, 2048> text;
  const ssize_t size = file.valid() ? ::pread(file.get(), text.data(), text.size(), 0) : -1;
  return size > 0 ? number_after({text.data(), static_cast<std::size_t>(size)}, key) : std::nullopt;
}

CgroupUsage CellCgroup::measured() const {
  CgroupUsage usage;
  if (unified_.valid()) {
    usage.cpu_us = read_counter(kCpu, unified_.get(), "cpu.stat", "usage_usec");
  } else if (cpuacct_ >= 0) {
    const auto nanoseconds = read_counter(kCpu, cpuacct_, "cpuacct.usage");
    usage.cpu_us = nanoseconds ? std::optional(*nanoseconds / 1000) : std::nullopt;
  }
  if (memory_ >= 0) {
    usage.peak_memory_bytes =
        read_counter(kMemoryPeak, memory_, memory_v1_ ? "memory.max_usage_in_bytes" : "memory.peak");
    if (!usage.peak_memory_bytes && !memory_v1_) {
      usage.peak_memory_bytes = read_number(memory_, "memory.current");
    }
    const char* const events = memory_v1_ ? "memory.oom_control" : "memory.events";
    usage.oom_kills = read_counter(kOomKills, memory_, events, "oom_kill ").value_or(0);
  }
  if (pids_ >= 0) {
    usage.peak_processes = read_counter(kProcessPeak, pids_, "pids.peak");
    if (!usage.peak_processes) {
      usage.peak_processes = read_number(pids_, "pids.current");
    }
    usage.refused_forks = read_counter(kRefusedForks, pids_, "pids.events", "max ").value_or(0);
  }
  return usage;
}

int CellCgroup::any_group() const {
  return unified_.valid() ? unified_.get() : v1_.empty() ? -1 : v1_.front().directory.get();
}

std::optional<std::size_t> CellCgroup::process_count() const {
  const int group = any_group();
  if (group < 0) {
    return std::nullopt;
  }
  const auto text = read_file_at(group, "cgroup.procs");
  return text ? std::optional(static_cast<std::size_t>(std::count(text->begin(), text->end(), '\n'))) : std::nullopt;
}

bool CellCgroup::kill_all() const {
  if (unified_.valid() && write_file_at(unified_.get(), "cgroup.kill", "1")) {
    return true;
  }
  const int group = any_group();
  return group >= 0 && kill_members(group);
}

Status CellCgroup::remove() {
  unified_.reset();
  v1_.clear();
  counters_ = {};
  memory_ = pids_ = cpu_ = cpuacct_ = -1;
  Status removed;
  for (const std::string& path : std::exchange(paths_, {})) {
    if (auto gone = remove_group(path); !gone) {
      removed = std::move(gone);
    }
  }
  return removed;
}

Status remove_group(const std::string& path) {
  const auto deadline = std::chrono::steady_clock::now() + kRemovePatience;
  while (::rmdir(path.c_str()) != 0 && errno != ENOENT) {
    if (errno != EBUSY || std::chrono::steady_clock::now() > deadline) {
      return fail(errno_error(ErrorCode::internal_error, "cgroup_remove", "cannot remove the control group " + path));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return {};
}

}  // namespace glovebox::os

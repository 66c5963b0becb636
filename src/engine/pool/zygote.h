// A runtime with its modules loaded, which forks a child into a cell when asked.
//
// It lives in the nursery: in a sandbox, as a user of its own, with privileges over the nursery's cells and over
// nothing else. It never sees a program. On any doubt it is thrown away.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>

#include "base/fd.h"
#include "base/result.h"
#include "engine/pool/nursery.h"
#include "os/cgroup.h"
#include "os/cgroup_site.h"

namespace glovebox::engine {

// What a child is born with.
struct Adoption {
  int first_process = -1;  // pidfd of the cell
  int standard_input = -1;
  int standard_output = -1;
  int standard_error = -1;
  int channel = -1;
  int cgroup = -1;  // cgroup2 directory, or -1
  std::vector<int> tasks;
  std::uint32_t landlock_abi = 0;
  std::vector<ResourceLimit> rlimits;
};

class Zygote {
 public:
  // Loading takes its time; it is given up as soon as `unless` is readable.
  [[nodiscard]] static base::Result<std::unique_ptr<Zygote>> start(std::shared_ptr<Nursery> nursery,
                                                                   const os::CgroupSite& site,
                                                                   const LanguageProfile& language, const WarmSet& set,
                                                                   int unless);
  ~Zygote();
  Zygote(const Zygote&) = delete;
  Zygote& operator=(const Zygote&) = delete;

  // The child answers for itself, on its channel.
  [[nodiscard]] base::Status adopt(const Adoption& adoption);
  [[nodiscard]] bool alive() const;
  [[nodiscard]] std::uint64_t children() const { return children_; }
  [[nodiscard]] std::chrono::steady_clock::time_point born() const { return born_; }
  [[nodiscard]] std::uint64_t memory_bytes() const { return cgroup_->memory_bytes().value_or(0); }
  // For whoever has children in it: it goes with the last of them.
  [[nodiscard]] std::shared_ptr<os::CellCgroup> group() const { return cgroup_; }
  // That its children cost before they were in their cells.
  [[nodiscard]] double cpu_ms() const { return static_cast<double>(cgroup_->usage().cpu_us.value_or(0)) / 1000; }

 private:
  Zygote(std::shared_ptr<Nursery> nursery, os::CellCgroup cgroup)
      : nursery_(std::move(nursery)), cgroup_(std::make_shared<os::CellCgroup>(std::move(cgroup))) {}

  std::shared_ptr<Nursery> nursery_;  // outlives its zygotes
  std::shared_ptr<os::CellCgroup> cgroup_;
  LaunchedCell process_;
  std::mutex mutex_;
  base::Fd channel_;
  base::Fd standard_error_;
  std::atomic<std::uint64_t> children_{0};
  std::chrono::steady_clock::time_point born_ = std::chrono::steady_clock::now();
};

}  // namespace glovebox::engine

// A cell is planned first, then built. The plan is a plain value: it can be printed, compared and hashed, and building
// adds nothing that it does not say.
//
// make_plan is a pure function of the request, the language, the image and what the host can do; `glovebox explain`
// prints its answer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "contract/run_request.h"
#include "engine/image/host_image.h"
#include "engine/languages/language_profile.h"
#include "engine/launcher/cell_spec.h"

namespace glovebox::engine {

// What was found out about the host before planning.
struct HostFacts {
  std::uint32_t landlock_abi = 0;  // 0: none
  bool cgroup_memory = false;
  bool cgroup_pids = false;
  bool cgroup_cpu = false;
  bool cgroup_cpu_time = false;  // the kernel counts what a cell uses, its dead processes included
  bool cgroup_kill = false;
  std::string limits_reason;  // why a limit cannot be enforced by the kernel
  std::string limits_remedy;
  bool privileged = false;  // we are root, so cells get host ids of their own
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
};

enum class DegradedMode { refuse, allow };

struct SandboxPlan {
  CellSpec cell;
  contract::Limits limits;
  std::string language;
  std::string image_digest;
  std::string seccomp_key;
  std::vector<std::string> enforced;  // what stands between the program and the host (L11)
  bool poll_memory = false;           // limits that are watched by polling instead of by the kernel
  bool poll_processes = false;

  bool operator==(const SandboxPlan&) const = default;
  // Of everything above; equal plans build equal cells.
  [[nodiscard]] std::string hash() const;
};

// Names this plan's mount points and places.
inline constexpr std::uint32_t kFirstHostUid = 0x70000000;
inline constexpr std::uint32_t kHostUidCount = 0x10000;

struct PlanInputs {
  const contract::RunRequest& request;
  const LanguageProfile& language;
  const Image& image;
  const HostFacts& host;
  DegradedMode degraded = DegradedMode::refuse;
  std::uint32_t host_uid_offset = 0;  // below kHostUidCount; differs between cells that run at once
  std::uint64_t input_bytes = 0;      // what we put into the scratch tmpfs, on top of what the program may write
  std::uint64_t input_files = 0;
  std::vector<RootEntry> language_entries = {};  // what the language shows of the host beside the image
};

// Cells that run at once have different host users, so that per-user limits of the kernel do not couple them.
[[nodiscard]] std::uint32_t next_host_uid_offset();
struct ScratchSize {
  std::uint64_t bytes = 0;
  std::uint64_t inodes = 0;
};
// What the program may write, plus what we put there ourselves.
[[nodiscard]] ScratchSize scratch_size(const contract::Limits& limits, std::uint64_t input_bytes,
                                       std::uint64_t input_files);
[[nodiscard]] std::vector<ResourceLimit> kernel_rlimits(const contract::Limits& limits, std::uint64_t scratch_bytes,
                                                        bool poll_memory);
// The writable places of a cell, its sealed one, and its procfs.
void add_cell_places(std::vector<RootEntry>& root, RootEntry::Kind code);

[[nodiscard]] base::Result<SandboxPlan> make_plan(const PlanInputs& inputs);

// For people: the layers, the root, the limits, the command.
[[nodiscard]] std::string describe(const SandboxPlan& plan);

}  // namespace glovebox::engine

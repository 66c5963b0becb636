#include "engine/plan/sandbox_plan.h"

#include <sys/resource.h>

#include <atomic>
#include <random>

#include "base/sha256.h"
#include "engine/languages/language_command.h"
#include "engine/supervise/scratch.h"
#include "os/seccomp_filter.h"

namespace glovebox::engine {
namespace {

using base::ErrorCode;
using base::fail;
using base::Result;
using base::Status;

constexpr std::uint64_t kPlanPageBytes = 4096;
// Directories, support files and blob mount points that we make ourselves.
constexpr std::uint64_t kOwnInodes = 64;
constexpr std::uint64_t kOwnBytes = 1U << 20U;
// How long after its wall limit a cell ends by itself, should nobody have killed it.
constexpr std::uint64_t kDeadManMs = 1000;

// Fail closed (L11): a limit that nobody enforces stops the run, unless the operator opted in to the degraded mode.
Status decide_enforcement(const PlanInputs& inputs, SandboxPlan& plan) {
  const HostFacts& host = inputs.host;
  plan.enforced = {"namespace_user",  "namespace_mount",   "namespace_pid",    "namespace_ipc",
                   "namespace_uts",   "namespace_network", "namespace_cgroup", "read_only_root",
                   "no_capabilities", "no_new_privileges", "seccomp"};
  if (host.landlock_abi > 0) {
    plan.enforced.push_back("landlock_abi" + std::to_string(host.landlock_abi));
  }
  const bool complete = host.cgroup_memory && host.cgroup_pids && host.cgroup_cpu && host.cgroup_cpu_time;
  const bool degraded = inputs.degraded == DegradedMode::allow;
  if (!complete && !degraded) {
    return fail(base::make_error(ErrorCode::limits_unavailable,
                                 "this host cannot enforce the limits of a run: " + host.limits_reason)
                    .with_hint(host.limits_remedy));
  }
  if (host.landlock_abi == 0 && !degraded) {
    return fail(
        base::make_error(ErrorCode::host_unsupported, "the kernel has no landlock, the second wall around files")
            .with_hint("boot with lsm=landlock,… or accept one wall less with --degraded"));
  }
  plan.poll_memory = !host.cgroup_memory;
  plan.poll_processes = !host.cgroup_pids;
  plan.enforced.emplace_back(host.cgroup_memory ? "cgroup_memory" : "polled_memory");
  plan.enforced.emplace_back(host.cgroup_pids ? "cgroup_pids" : "rlimit_processes");
  if (host.cgroup_cpu) {
    plan.enforced.emplace_back("cgroup_cpu");
  }
  if (host.cgroup_kill) {
    plan.enforced.emplace_back("cgroup_kill");
  }
  plan.enforced.insert(plan.enforced.end(), {"rlimits", "wall_clock", "disk", "output"});
  // Without a group that counts it, CPU time is summed up over the processes that a look finds.
  plan.enforced.emplace_back(host.cgroup_cpu_time ? "cpu_time" : "polled_cpu_time");
  if (!complete || host.landlock_abi == 0) {
    plan.enforced.emplace_back("degraded");
  }
  return {};
}

std::uint64_t pages(std::uint64_t bytes) { return (bytes + kPlanPageBytes - 1) / kPlanPageBytes * kPlanPageBytes; }

}  // namespace

std::uint32_t next_host_uid_offset() {
  static std::atomic<std::uint32_t> counter{std::random_device{}()};
  return counter.fetch_add(1) % kHostUidCount;
}

ScratchSize scratch_size(const contract::Limits& limits, std::uint64_t input_bytes, std::uint64_t input_files) {
  return {pages(limits.disk_bytes + input_bytes) + kOwnBytes + input_files * kPlanPageBytes,
          limits.inodes + input_files + kOwnInodes};
}

std::vector<ResourceLimit> kernel_rlimits(const contract::Limits& limits, std::uint64_t scratch_bytes,
                                          bool poll_memory) {
  const std::uint64_t cpu_seconds = (limits.cpu_ms + 999) / 1000 + 1;  // behind the exact one of the supervisor
  // Counted per user namespace. It stands behind the pids group or the polling, which give the verdict.
  const std::uint64_t processes = limits.processes + 16;
  std::vector<ResourceLimit> rlimits = {
      {RLIMIT_CORE, 1},  // not 0: a core_pattern that pipes ignores 0 and would start the host's crash handler
      {RLIMIT_CPU, cpu_seconds},
      {RLIMIT_NOFILE, limits.open_files},
      {RLIMIT_NPROC, processes},
      // Above the size of the scratch tmpfs: a full disk shows as ENOSPC, a sparse giant as EFBIG.
      {RLIMIT_FSIZE, 2 * scratch_bytes + kOwnBytes},
      {RLIMIT_MEMLOCK, 64U << 10U},
      {RLIMIT_MSGQUEUE, 64U << 10U},
      {RLIMIT_SIGPENDING, 1024},
      {RLIMIT_STACK, 8U << 20U},
      {RLIMIT_NICE, 0},
      {RLIMIT_RTPRIO, 0},
  };
  if (poll_memory) {
    // Catches a single huge allocation between two looks of the supervisor. Four times: private mappings are reserved
    // more generously than they are used.
    rlimits.push_back({RLIMIT_DATA, limits.memory_bytes * 4});
  }
  return rlimits;
}

void add_cell_places(std::vector<RootEntry>& root, RootEntry::Kind code) {
  root.push_back({RootEntry::Kind::scratch, "work", kWorkPart});
  root.push_back({RootEntry::Kind::scratch, "tmp", kTmpPart});
  root.push_back({RootEntry::Kind::scratch, "dev/shm", kShmPart});
  root.push_back({code, "glovebox", kCodePart});
  root.push_back({RootEntry::Kind::proc, "proc", ""});  // last: until now the scratch tmpfs sat there
}

Result<SandboxPlan> make_plan(const PlanInputs& inputs) {
  const contract::RunRequest& request = inputs.request;
  SandboxPlan plan;
  plan.limits = request.limits;
  plan.language = inputs.language.id;
  plan.image_digest = inputs.image.digest;
  TRY_STATUS(decide_enforcement(inputs, plan));

  CellSpec& cell = plan.cell;
  cell.host_uid = inputs.host.privileged ? kFirstHostUid + inputs.host_uid_offset % kHostUidCount : inputs.host.uid;
  cell.host_gid = inputs.host.privileged ? cell.host_uid : inputs.host.gid;
  cell.hostname = "glovebox";
  cell.directory = kWorkDirectory;
  cell.root = inputs.image.entries;
  cell.root.insert(cell.root.end(), inputs.language_entries.begin(), inputs.language_entries.end());
  const auto repeatability = request.deterministic ? Repeatability::deterministic : Repeatability::ordinary;
  if (request.deterministic) {
    // Not by a variable: the environment stays the program's own, and every child has it too.
    cell.root.push_back({RootEntry::Kind::file, "etc/ld.so.preload", std::string(kDeterminismLibrary) + "\n"});
    cell.deterministic = true;
    plan.enforced.emplace_back("deterministic");
  }
  add_cell_places(cell.root, RootEntry::Kind::scratch_sealed);
  const ScratchSize size = scratch_size(request.limits, inputs.input_bytes, inputs.input_files);
  cell.scratch_bytes = size.bytes;
  cell.scratch_inodes = size.inodes;
  cell.scratch_parts = {kWorkPart, kTmpPart, kShmPart, kCodePart, kEmptyPart};
  for (const contract::InputFile& file : request.files) {
    if (std::holds_alternative<contract::BlobRef>(file.content)) {
      cell.blob_targets.push_back("work/" + file.path.str());
    }
  }
  cell.rlimits = kernel_rlimits(request.limits, cell.scratch_bytes, plan.poll_memory);
  const ProgramForm form = request.input_json ? ProgramForm::solve : ProgramForm::script;
  cell.argv = TRY(command_line(inputs.language, form, request.limits.memory_bytes, request.args, repeatability));
  auto environment_of_cell = environment(inputs.language, request.limits.memory_bytes, repeatability);
  for (const auto& [name, value] : request.env) {
    environment_of_cell[name] = value;
  }
  for (const auto& [name, value] : environment_of_cell) {
    std::string& variable = cell.env.emplace_back(name);
    variable.append("=").append(value);
  }
  const os::SeccompFilter* filter = os::find_seccomp_filter("default");
  if (filter == nullptr) {
    return fail(ErrorCode::internal_error, "the default system-call filter is missing from this build");
  }
  cell.seccomp = filter->name;
  plan.seccomp_key = filter->key;
  cell.landlock_abi = inputs.host.landlock_abi;
  cell.latest_end_ms = request.limits.wall_ms + kDeadManMs;
  return plan;
}

std::string SandboxPlan::hash() const {
  CellSpec comparable = cell;
  comparable.host_uid = kFirstHostUid;  // differs between runs by design
  comparable.host_gid = kFirstHostUid;
  const auto encoded = encode_cell_spec(comparable);
  base::Sha256 digest;
  digest.update(encoded ? *encoded : "");
  digest.update(image_digest + "\n" + seccomp_key + "\n");
  for (const std::uint64_t number :
       {limits.wall_ms, limits.cpu_ms, limits.memory_bytes, limits.processes, limits.cpu_percent, limits.output_bytes,
        limits.artifact_bytes, limits.artifact_file_bytes, limits.artifact_count}) {
    digest.update(std::to_string(number) + "\n");
  }
  for (const std::string& layer : enforced) {
    digest.update(layer + "\n");
  }
  return digest.hex();
}

}  // namespace glovebox::engine

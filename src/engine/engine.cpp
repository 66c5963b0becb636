#include "engine/engine.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <random>

#include "base/sha256.h"
#include "engine/languages/language_command.h"
#include "os/calls.h"
#include "os/files.h"
#include "os/packets.h"

namespace glovebox::engine {
namespace {

using base::errno_error;
using base::ErrorCode;
using base::fail;
using base::Fd;
using base::Result;
using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Cells that run at once have different host users, so that per-user limits of the kernel do not couple them.
std::uint32_t next_uid_offset() {
  static std::atomic<std::uint32_t> counter{std::random_device{}()};
  return counter.fetch_add(1) % kHostUidCount;
}

// The files that go into the cell before the program starts.
Result<std::vector<PlacedFile>> files_to_place(const RunInputs& inputs) {
  const contract::RunRequest& request = *inputs.request;
  std::vector<PlacedFile> files;
  const auto place_beside_code = [&files](std::string_view name, std::string_view content) -> base::Status {
    base::RelPath path = TRY(base::RelPath::parse(name));
    files.push_back({kCodePart, std::move(path), content});
    return {};
  };
  TRY_STATUS(place_beside_code(inputs.language->file_name, request.code));
  for (const SupportFile& support : inputs.language->support) {
    TRY_STATUS(place_beside_code(support.to, support.content));
  }
  if (request.input_json) {
    TRY_STATUS(place_beside_code("input.json", *request.input_json));
  }
  for (const contract::InputFile& file : request.files) {
    if (const auto* bytes = std::get_if<std::string>(&file.content); bytes != nullptr) {
      files.push_back({kWorkPart, file.path, *bytes});
    }
  }
  return files;
}

// A sealed memory file: needs no pump, ends by itself, and nobody can change it. Also when it is empty: the host's
// /dev/null has times that one run could set and the next could read.
Result<Fd> standard_input_of(const std::string& bytes) {
  Fd memory(::memfd_create("stdin", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory.valid() || !os::write_all(memory.get(), bytes) || ::lseek(memory.get(), 0, SEEK_SET) != 0 ||
      ::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
    return fail(errno_error(ErrorCode::setup_failed, "stdin", "cannot prepare standard input"));
  }
  return memory;
}

struct Pipe {
  Fd read;
  Fd write;
};

Result<Pipe> output_pipe(const CellSpec& owner) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail(errno_error(ErrorCode::setup_failed, "pipes", "cannot create a pipe"));
  }
  Pipe pipe{Fd(ends[0]), Fd(ends[1])};
  // Writing to /dev/stdout opens it once more, as the cell's user.
  if (::geteuid() == 0 && ::fchown(pipe.write.get(), owner.host_uid, owner.host_gid) != 0) {
    return fail(errno_error(ErrorCode::setup_failed, "pipes", "cannot give a pipe to the cell"));
  }
  // Only our end: the program's writes wait as they would on any pipe.
  ::fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK);
  return pipe;
}

Result<LauncherClient> start_launcher(const EngineOptions& options) {
  if (options.launcher_style == LauncherStyle::fork) {
    return LauncherClient::start_in_fork();
  }
  const std::string program = options.launcher.empty() ? TRY(LauncherClient::find_program()) : options.launcher;
  return LauncherClient::start(program);
}

std::map<std::string, std::string> hashes_of_inputs(const contract::RunRequest& request) {
  std::map<std::string, std::string> hashes;
  for (const contract::InputFile& file : request.files) {
    const auto* bytes = std::get_if<std::string>(&file.content);
    hashes[file.path.str()] = bytes != nullptr ? base::sha256_hex(*bytes) : "";
  }
  return hashes;
}

}  // namespace

HostFacts facts_of_host(const os::CgroupSite& site) {
  HostFacts facts;
  const int abi = os::landlock_abi();
  facts.landlock_abi = abi > 0 ? static_cast<std::uint32_t>(abi) : 0;
  facts.cgroup_memory = !site.memory.empty();
  facts.cgroup_pids = !site.pids.empty();
  facts.cgroup_cpu = !site.cpu.empty();
  facts.cgroup_kill = !site.unified.empty();
  facts.limits_reason = site.reason;
  facts.limits_remedy = site.remedy;
  facts.uid = ::geteuid();
  facts.gid = ::getegid();
  facts.privileged = facts.uid == 0;
  return facts;
}

Engine::Engine(EngineOptions options, LauncherClient launcher, os::CgroupSite site, Image image, HostFacts host)
    : options_(std::move(options)),
      launcher_(std::move(launcher)),
      site_(std::move(site)),
      image_(std::move(image)),
      host_(std::move(host)) {}

Result<std::unique_ptr<Engine>> Engine::create(EngineOptions options) {
  // Before the launcher starts: it has to be born in the group that we end up in.
  const auto scope = options.degraded == DegradedMode::allow ? os::ScopePolicy::stay : os::ScopePolicy::ask_systemd;
  os::CgroupSite site = os::find_cgroup_site(scope);
  LauncherClient launcher = TRY(start_launcher(options));
  Image image = TRY(open_host_image(options.cache_directory));
  HostFacts facts = facts_of_host(site);
  return std::unique_ptr<Engine>(
      new Engine(std::move(options), std::move(launcher), std::move(site), std::move(image), std::move(facts)));
}

// What earlier processes of ours left behind when they were killed. Done while the first cell is being built.
void Engine::tidy_once() {
  std::call_once(tidied_, [this] { os::sweep_stale_groups(site_); });
}

Result<SandboxPlan> Engine::plan(const contract::RunRequest& request, const LanguageProfile& language) const {
  TRY_STATUS(check_requirements(language, "/"));
  RunInputs inputs;
  inputs.request = &request;
  inputs.language = &language;
  const auto files = TRY(files_to_place(inputs));
  PlanInputs plan_inputs{request, language,          image_,
                         host_,   options_.degraded, next_uid_offset(),
                         0,       files.size(),      show_host_paths(language.host_paths)};
  for (const PlacedFile& file : files) {
    plan_inputs.input_bytes += file.bytes.size();
  }
  SandboxPlan plan = TRY(make_plan(plan_inputs));
  plan.cell.into_cgroup = !site_.unified.empty();
  return plan;
}

Result<ExecutionReport> Engine::execute(const RunInputs& inputs) {
  const auto started = Clock::now();
  ExecutionReport report;
  report.plan = TRY(plan(*inputs.request, *inputs.language));
  CellSpec& spec = report.plan.cell;
  report.stages["plan"] = ms_since(started);

  const auto groups_at = Clock::now();
  os::CellCgroup cgroup = TRY(os::CellCgroup::create(
      site_, {report.plan.limits.memory_bytes, report.plan.limits.processes, report.plan.limits.cpu_percent}));
  report.stages["cgroup"] = ms_since(groups_at);

  const auto launch_at = Clock::now();
  const std::vector<PlacedFile> files = TRY(files_to_place(inputs));
  const Fd input = TRY(standard_input_of(inputs.request->standard_input));
  Pipe output = TRY(output_pipe(spec));
  Pipe errors = TRY(output_pipe(spec));
  int ours = -1;
  int theirs = -1;
  if (os::packet_pair(ours, theirs) != 0) {
    return fail(errno_error(ErrorCode::setup_failed, "socket", "cannot create the cell's socket"));
  }
  SupervisedCell cell;
  cell.socket = Fd(ours);
  Fd their_socket(theirs);
  CellDescriptors descriptors{input.get(),         output.write.get(), errors.write.get(), theirs,
                              cgroup.unified_fd(), cgroup.task_fds(),  inputs.blobs};
  spec.into_cgroup = cgroup.unified_fd() >= 0;
  spec.task_fds = static_cast<std::uint32_t>(descriptors.tasks.size());
  cell.process = TRY(launcher_.launch(spec, descriptors));
  output.write.reset();
  errors.write.reset();
  their_socket.reset();
  report.stages["clone"] = ms_since(launch_at);
  tidy_once();

  cell.standard_output = std::move(output.read);
  cell.standard_error = std::move(errors.read);
  cell.cgroup = &cgroup;
  cell.poll_memory = report.plan.poll_memory;
  cell.poll_processes = report.plan.poll_processes;
  SupervisionOptions options;
  options.limits = report.plan.limits;
  options.filter = os::find_seccomp_filter(spec.seccomp);
  options.host_uid = spec.host_uid;
  options.host_gid = spec.host_gid;
  options.inputs = files;
  options.events = inputs.events;
  options.cancel = inputs.cancel;
  report.supervision = supervise(std::move(cell), options);
  if (report.supervision.image_covered) {
    report.plan.enforced.emplace_back("image_overlay");
  }
  report.stages["setup"] = report.supervision.setup_ms;
  report.stages["identity"] = report.supervision.identity_ms;
  report.stages["root"] = report.supervision.root_ms - report.supervision.identity_ms;
  report.stages["seal"] = report.supervision.sealed_ms - report.supervision.root_ms;
  report.stages["inputs"] = report.supervision.inputs_ms;
  report.stages["program"] = report.supervision.wall_ms;

  const auto collect_at = Clock::now();
  const Scratch& scratch = report.supervision.scratch;
  if (!report.supervision.failure) {
    report.harvest = collect_artifacts(
        scratch, inputs.request->artifacts, report.plan.limits,
        inputs.request->artifacts.empty() ? std::map<std::string, std::string>() : hashes_of_inputs(*inputs.request));
    if (inputs.request->input_json) {
      if (auto value = scratch.read_file(kSolveValuePath.substr(1).data(), report.plan.limits.output_bytes); value) {
        report.solve_value = std::move(*value);
      }
    }
  }
  report.stages["collect"] = ms_since(collect_at);

  const auto teardown_at = Clock::now();
  report.supervision.scratch = Scratch();
  (void)cgroup.remove();  // what the kernel still holds on to is swept by the next run; this one is done
  report.stages["teardown"] = ms_since(teardown_at);
  return report;
}

}  // namespace glovebox::engine

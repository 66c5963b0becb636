#include "engine/engine.h"

#include <unistd.h>

#include "base/stopwatch.h"
#include "engine/languages/language_command.h"
#include "engine/run_parts.h"
#include "os/calls.h"

namespace glovebox::engine {
namespace {

using base::Result;

base::Status start_launcher(const EngineOptions& options, LauncherClient& launcher) {
  if (options.launcher_style == LauncherStyle::fork) {
    return launcher.start_in_fork();
  }
  const std::string program = options.launcher.empty() ? TRY(LauncherClient::find_program()) : options.launcher;
  return launcher.start(program);
}

constexpr std::size_t kAttemptsPerPath = 2;

contract::Attempt failed_attempt(std::string path, std::string reason) {
  return {std::move(path), std::string(contract::to_string(contract::Outcome::setup_failed)), std::move(reason)};
}

// Why to try again: what failed before the program was started. Nothing when the report stands. A program that may have
// run is never run again by us: its time is spent, its output may be known, and only its caller knows whether a second
// time does harm.
std::optional<std::string> failure_of_ours(const ExecutionReport& report) {
  const SupervisionReport& seen = report.supervision;
  // A runtime that warms up may have spoken before its program: what was heard cannot be unsaid.
  const bool spoke = seen.standard_output.total_bytes() + seen.standard_error.total_bytes() > 0;
  return seen.failure && !seen.program_may_have_run && !spoke ? std::optional(base::cause_of(*seen.failure))
                                                              : std::nullopt;
}

}  // namespace

HostFacts facts_of_host(const os::CgroupSite& site) {
  HostFacts facts;
  const int abi = os::landlock_abi();
  facts.landlock_abi = abi > 0 ? static_cast<std::uint32_t>(abi) : 0;
  facts.cgroup_memory = !site.memory.empty();
  facts.cgroup_pids = !site.pids.empty();
  facts.cgroup_cpu = !site.cpu.empty();
  facts.cgroup_cpu_time = !site.unified.empty() || !site.cpuacct.empty();
  facts.cgroup_kill = !site.unified.empty();
  facts.limits_reason = site.reason;
  facts.limits_remedy = site.remedy;
  facts.uid = ::geteuid();
  facts.gid = ::getegid();
  facts.privileged = facts.uid == 0;
  return facts;
}

Engine::Engine(EngineOptions options, std::unique_ptr<LauncherClient> launcher, os::CgroupSite site, Image image,
               HostFacts host)
    : options_(std::move(options)),
      launcher_(std::move(launcher)),
      site_(std::move(site)),
      image_(std::move(image)),
      host_(std::move(host)) {}

Result<std::unique_ptr<Engine>> Engine::create(EngineOptions options) {
  // Before the launcher starts: it has to be born in the group that we end up in.
  // Whoever accepts weaker limits gets them only where there are no better ones.
  os::CgroupSite site = os::find_cgroup_site(os::ScopePolicy::ask_systemd);
  auto launcher = std::make_unique<LauncherClient>();
  TRY_STATUS(start_launcher(options, *launcher));
  Image image = TRY(open_host_image(options.cache_directory));
  HostFacts facts = facts_of_host(site);
  const bool limits_are_exact = site.complete() && facts.landlock_abi > 0;
  std::unique_ptr<Engine> engine(
      new Engine(std::move(options), std::move(launcher), std::move(site), std::move(image), std::move(facts)));
  // Without control groups the limits of a cell rest on what it is started with; such cells are built one by one.
  if (engine->options_.pool.enabled && limits_are_exact) {
    engine->tidy_once(0);  // there may never be a cold run
    engine->pool_ = std::make_unique<WarmPool>(
        engine->options_.pool, PoolHost{*engine->launcher_, engine->site_, engine->image_, engine->host_});
  }
  return engine;
}

// What earlier processes of ours left behind when they were killed. Done while the first cell is being built.
void Engine::tidy_once(unsigned own_groups) {
  std::call_once(tidied_, [this, own_groups] { os::sweep_stale_groups(site_, own_groups); });
}

Result<SandboxPlan> Engine::plan(const contract::RunRequest& request, const LanguageProfile& language) const {
  TRY_STATUS(check_requirements(language, "/"));
  const auto files = TRY(files_to_place(request, language, SupportFiles::place));
  PlanInputs plan_inputs{request, language,          image_,
                         host_,   options_.degraded, next_host_uid_offset(),
                         0,       files.size(),      show_host_paths(language.host_paths)};
  for (const PlacedFile& file : files) {
    plan_inputs.input_bytes += file.bytes.size();
  }
  SandboxPlan plan = TRY(make_plan(plan_inputs));
  plan.cell.into_cgroup = !site_.unified.empty();
  return plan;
}

std::optional<ExecutionReport> Engine::try_warm(const RunInputs& inputs, const ExecutionReport& planned,
                                                std::vector<contract::Attempt>& failed) {
  for (std::size_t attempt = 0; pool_ && !inputs.cold && attempt < kAttemptsPerPath; ++attempt) {
    const auto take_at = RunClock::now();
    std::optional<WarmCell> cell = pool_->take(*inputs.request, *inputs.language, inputs.tenant);
    if (!cell) {
      return std::nullopt;
    }
    ExecutionReport tried;
    tried.plan = planned.plan;
    tried.stages = planned.stages;
    tried.stages["take"] = base::ms_since(take_at);
    tried = run_warm(inputs, std::move(tried), std::move(*cell));
    const std::optional<std::string> problem = failure_of_ours(tried);
    if (!problem) {
      return tried;
    }
    failed.push_back(failed_attempt("warm", *problem));
  }
  if (failed.size() == kAttemptsPerPath) {
    pool_->note_fallback();
  }
  return std::nullopt;
}

Result<ExecutionReport> Engine::execute(const RunInputs& inputs) {
  std::vector<contract::Attempt> failed;
  for (std::size_t attempt = 1;; ++attempt) {
    const auto started = RunClock::now();
    ExecutionReport report;
    report.plan = TRY(plan(*inputs.request, *inputs.language));
    report.stages["plan"] = base::ms_since(started);
    if (attempt == 1) {
      if (auto warm = try_warm(inputs, report, failed); warm) {
        warm->failed_attempts = std::move(failed);
        return std::move(*warm);
      }
    }
    auto ended = run_cold(inputs, std::move(report));
    ExecutionReport tried = ended ? std::move(*ended) : ExecutionReport();
    if (!ended) {
      tried.supervision.failure = std::move(ended.error());
    }
    const std::optional<std::string> problem = failure_of_ours(tried);
    const bool hopeless = tried.supervision.failure && tried.supervision.failure->code != base::ErrorCode::setup_failed;
    if (!problem || hopeless || attempt == kAttemptsPerPath) {
      tried.failed_attempts = std::move(failed);
      return tried;
    }
    failed.push_back(failed_attempt("cold", *problem));
  }
}

}  // namespace glovebox::engine

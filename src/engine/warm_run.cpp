// A run in a cell that waited for it.
#include "base/stopwatch.h"
#include "engine/engine.h"
#include "engine/pool/cell_maker.h"
#include "engine/pool/orders.h"
#include "engine/run_parts.h"

namespace glovebox::engine {
namespace {

using base::Status;

// What the limits of this run change in a cell that was made before they were known.
Status fit(WarmCell& cell, const SandboxPlan& plan, const std::string& standard_input) {
  TRY_STATUS(cell.cgroup.set_limits({plan.limits.memory_bytes, plan.limits.processes, plan.limits.cpu_percent}));
  TRY_STATUS(cell.resize(plan.cell.scratch_bytes, plan.cell.scratch_inodes));
  return cell.fill_standard_input(standard_input);
}

}  // namespace

ExecutionReport Engine::run_warm(const RunInputs& inputs, ExecutionReport report, WarmCell cell) {
  report.warm = true;
  report.plan.cell.host_uid = cell.scratch.host_uid();
  report.plan.cell.host_gid = cell.scratch.host_gid();
  const auto fit_at = RunClock::now();
  auto files = files_to_place(*inputs.request, *inputs.language, SupportFiles::are_there);
  Status ready = files ? fit(cell, report.plan, inputs.request->standard_input) : base::fail(files.error());
  report.stages["limits"] = base::ms_since(fit_at);
  if (!ready) {
    report.supervision.failure = std::move(ready.error());
  } else {
    const std::string orders = orders_of(*inputs.request);
    SupervisedCell supervised;
    supervised.process = std::move(cell.process);
    supervised.socket = std::move(cell.socket);
    supervised.standard_output = std::move(cell.standard_output);
    supervised.standard_error = std::move(cell.standard_error);
    supervised.cgroup = &cell.cgroup;
    supervised.waiting = WaitingCell{
        std::move(cell.scratch), std::move(cell.listener), std::move(cell.channel),
        cell.takes_limits ? with_limits(rlimits_of_run(report.plan.cell.rlimits), orders) : orders, cell.image_covered};
    report.supervision = supervise(std::move(supervised), supervision_of(inputs, report.plan, std::move(*files)));
    cell.process = std::move(report.supervision.process);
  }
  if (report.supervision.image_covered) {
    report.plan.enforced.emplace_back("image_overlay");
  }
  report.stages["setup"] = report.supervision.setup_ms;
  report.stages["inputs"] = report.supervision.inputs_ms;
  report.stages["program"] = report.supervision.wall_ms;
  collect(inputs, report);

  const auto teardown_at = RunClock::now();
  report.supervision.scratch = Scratch();
  const bool ordinary = !report.supervision.failure && report.supervision.verdict == Verdict::none;
  const std::string kind = cell.kind;
  SpentCell remains = remains_of(std::move(cell));
  remains.reusable = ordinary;
  remains.run_cpu_ms = static_cast<double>(report.supervision.cpu_us) / 1000;
  pool_->give_back(kind, std::move(remains));
  report.stages["teardown"] = base::ms_since(teardown_at);
  return report;
}

}  // namespace glovebox::engine

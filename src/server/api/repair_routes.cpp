// GET /v1/runs/{run_id}/repair: what to send back to the model that wrote a failed program (X3).
#include <algorithm>

#include "runner/repair_brief.h"
#include "server/api/answers.h"
#include "server/api/api.h"

namespace glovebox::server {
namespace {

constexpr std::size_t kMostTold = 5;

// Runs of the same task that failed before this one, the oldest first.
std::vector<runner::PastAttempt> earlier_attempts(records::Store& store, const records::RunSummary& run) {
  records::RunFilter filter;
  filter.tenant = run.tenant;
  filter.task_id = run.task_id;
  filter.until_ms = run.created_ms + 1;
  std::vector<runner::PastAttempt> found;
  const auto page = store.list(filter, "", 2 * kMostTold);
  for (std::size_t index = 0; page && index < page->runs.size() && found.size() < kMostTold; ++index) {
    const records::RunSummary& other = page->runs[index];
    if (other.run_id == run.run_id || other.success || other.state != records::RunState::finished) {
      continue;
    }
    if (const auto record = store.find(other.run_id); record && *record && (*record)->result) {
      found.push_back(runner::in_short(*(*record)->result));
    }
  }
  std::reverse(found.begin(), found.end());
  return found;
}

// What the task may still use, where it has bounds.
void add_what_is_left(runner::RepairBrief& brief, const runner::TaskBudget& budget, const records::TaskUsage& used) {
  if (budget.attempts != 0) {
    brief.attempts_left = static_cast<std::uint32_t>(budget.attempts - std::min(used.attempts, budget.attempts));
  }
  if (budget.failed_attempts != 0) {
    const auto left =
        static_cast<std::uint32_t>(budget.failed_attempts - std::min(used.failed, budget.failed_attempts));
    brief.attempts_left = std::min(brief.attempts_left.value_or(left), left);
  }
  if (budget.wall_ms != 0) {
    brief.budget_left_ms = budget.wall_ms - std::min(static_cast<std::uint64_t>(used.wall_ms), budget.wall_ms);
  }
}

}  // namespace

void Api::get_repair(const CallPtr& call) {
  chore(call, [this, call] {
    const auto record = find_own_run(call);
    if (!record) {
      return;
    }
    const records::RunSummary& run = record->summary;
    if (!record->result) {
      return call->respond(conflict("the run has not ended", run.run_id));
    }
    if (record->result->success) {
      return call->respond(conflict("the run succeeded: there is nothing to mend", run.run_id));
    }
    runner::RepairBrief brief = runner::make_brief(record->request, *record->result);
    if (!run.task_id.empty()) {
      brief.tried = earlier_attempts(ledger().store(), run);
      if (const auto used = ledger().store().task_usage(run.tenant, run.task_id); used) {
        add_what_is_left(brief, ledger().settings().task, *used);
      }
    }
    http::Response response = json_answer(200, runner::to_json(brief));
    response.headers.set("Glovebox-Run-Id", run.run_id);
    call->respond(std::move(response));
  });
}

}  // namespace glovebox::server

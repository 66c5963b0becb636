#include "mcp/tools/run_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/sha256.h"
#include "contract/json_writer.h"
#include "mcp/shown_program.h"
#include "mcp/tools/run_answer.h"
#include "mcp/tools/tool_answer.h"
#include "mcp/tools/workspace_sources.h"

namespace glovebox::mcp {
namespace {

using contract::RunRequest;
using contract::RunResult;

// What a person was asked about: the findings, and every file that the program could find in its workspace. Whoever
// changes one of them meanwhile has asked for something else.
std::string digest_of(const policy::Decision& decision, const workspaces::Workspace* workspace) {
  std::string text = decision.policy;
  for (const policy::Finding& finding : decision.findings) {
    if (finding.verdict == policy::Verdict::ask) {
      text += fmt::format("\n{} {} {} {}", contract::quote_json(finding.rule), contract::quote_json(finding.subject),
                          contract::quote_json(finding.file), finding.at ? finding.at->line : 0);
    }
  }
  if (workspace != nullptr) {
    for (const workspaces::Entry& entry : workspace->list("")) {
      text += "\n" + contract::quote_json(entry.path) + " " + entry.sha256;
    }
  }
  return base::sha256_hex(text);
}

}  // namespace

void RunJob::start() {
  if (!can_ask_person(*call_)) {
    return line_up();
  }
  do_chore(call_, [job = shared_from_this()] { job->ask_policy(); });
}

void RunJob::ask_policy() {
  RunRequest read = request_;
  if (place_.workspace != nullptr) {
    add_sources(read, *place_.workspace);
  }
  auto decision = toolbox_.runner().check_policy(read, call_->host().caller(), policy::Detail::verdict);
  const auto approved = [&](const std::string& rule) {
    const std::vector<std::string>& rules = toolbox_.defaults().approved_rules;
    return std::find(rules.begin(), rules.end(), rule) != rules.end();
  };
  const bool asks = decision && decision->verdict == policy::Verdict::ask;
  const std::vector<std::string> rules = asks ? policy::asking_rules(*decision) : std::vector<std::string>();
  if (!asks || std::all_of(rules.begin(), rules.end(), approved)) {
    return line_up();  // anything else is said by the run itself
  }
  const std::optional<std::string> program = shown_program(read);
  if (!program) {
    return line_up();  // nobody can say yes to what nobody can see
  }
  asked_ = digest_of(*decision, place_.workspace.get());
  toolbox_.approvals().ask(
      call_, {*decision, *program}, binding_ + "\n" + asked_, [job = shared_from_this()](Consent consent) {
        if (job->call_->cancel()->is_cancelled()) {
          return answer_error(*job->call_, base::make_error(base::ErrorCode::cancelled, "cancelled before it was run"));
        }
        job->consent_ = std::move(consent);
        job->line_up();
      });
}

void RunJob::line_up() {
  progress_ = Progress::start(call_, toolbox_.ticker(), request_.limits.wall_ms);
  // Runs in one workspace take turns; those that wait hold no thread.
  std::string flight = place_.workspace != nullptr ? "serial workspace " + place_.handle
                                                   : toolbox_.runner().flight_of(request_, call_->host().caller());
  auto queued = call_->host().line_up(std::move(flight),
                                      [job = shared_from_this()](const runner::Waited& waited) { job->work(waited); });
  if (!queued) {
    answer_error(*call_, queued.error());
  }
}

void RunJob::work(const runner::Waited& waited) {
  if (waited.refusal) {
    return answer_error(*call_, *waited.refusal);
  }
  RunResult result = run_once(request_, waited.queue_ms);
  if (may_fall_back_ && is_infrastructure_failure(result)) {
    result = with_fallback(std::move(result), waited.queue_ms);
  }
  answer(std::move(result));
}

RunResult RunJob::run_once(const RunRequest& given_request, double queue_ms) {
  RunRequest uncached;
  if (consent_ && !consent_->granted) {
    uncached = given_request;
    uncached.cache = contract::CacheMode::off;  // nor does an earlier yes count
  }
  const RunRequest& request = consent_ && !consent_->granted ? uncached : given_request;
  runner::RunOptions options;
  options.caller = call_->host().caller();
  options.cancel = call_->cancel().get();
  options.queue_ms = queue_ms;
  options.approved_rules = toolbox_.defaults().approved_rules;
  options.approver = toolbox_.defaults().approver;
  if (progress_ != nullptr) {
    options.events = [progress = progress_](const contract::Event& event) { progress->note(event); };
  }
  if (consent_) {
    options.approver = consent_->by;
    // Yes to what was asked, and to nothing that has changed since.
    options.ask = [this](const policy::Decision& decision) {
      return consent_->granted && digest_of(decision, place_.workspace.get()) == asked_;
    };
  }
  std::optional<RunRequest> completed;  // with the workspace's files, so that it can be run again
  RunResult result = call_->host().run(request, options, [&](const runner::RunOptions& given) {
    if (place_.workspace == nullptr) {
      return toolbox_.runner().run(request, given);
    }
    auto run = place_.workspace->run(toolbox_.runner(), request, given);
    if (!run) {
      return refused_run(run.error(), given.run_id);
    }
    changes_ = std::move(run->changes);
    completed = std::move(run->request);
    return std::move(run->result);
  });
  toolbox_.archive().keep(completed ? *completed : request, result);
  return result;
}

RunResult RunJob::with_fallback(RunResult failed, double queue_ms) {
  constexpr std::size_t kFailuresOfOnePath = 2;
  std::vector<contract::Attempt> attempts;
  std::string why;
  const auto remember = [&](RunResult& result) {
    attempts.insert(attempts.end(), result.attempts.begin(), result.attempts.end());
    result.attempts = attempts;
    why = result.error ? result.error->message : "no reason was told";
  };
  remember(failed);
  if (attempts.size() < kFailuresOfOnePath && !call_->cancel()->is_cancelled()) {
    failed = run_once(request_, queue_ms);
    remember(failed);
  }
  const auto by_shell = is_infrastructure_failure(failed) ? shell_fallback(request_) : std::nullopt;
  if (!by_shell || call_->cancel()->is_cancelled()) {
    return failed;
  }
  fell_back_ = fmt::format("the sandbox itself failed {} times, the last time with: {}", attempts.size(), why);
  RunResult result = run_once(*by_shell, queue_ms);
  remember(result);
  return result;
}

void RunJob::answer(RunResult result) {
  if (progress_ != nullptr) {
    progress_->end();
  }
  RunAnswer told;
  told.workspace = place_.handle;
  told.changes = std::move(changes_);
  told.fell_back = std::move(fell_back_);
  told.approve_command = toolbox_.defaults().approve_command;
  answer_run(*call_, std::move(result), told);
}

}  // namespace glovebox::mcp

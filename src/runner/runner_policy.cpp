// The steps `decide` and `approve` of a run.
#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "base/stopwatch.h"
#include "runner/answer.h"
#include "runner/request_hash.h"
#include "runner/runner.h"
#include "runner/verify_step.h"

namespace glovebox::runner {
namespace {

using base::ErrorCode;
using base::Result;
using contract::RunRequest;
using contract::RunResult;
using policy::Decision;
using policy::Verdict;

void consent(Decision& decision, std::string by) {
  for (policy::Finding& finding : decision.findings) {
    finding.approved = finding.approved || finding.verdict == Verdict::ask;
  }
  decision.verdict = Verdict::allow;
  decision.approved_by = std::move(by);
}

std::string grants_of(const Decision& decision) {
  std::string flags;
  for (const std::string& rule : policy::asking_rules(decision)) {
    flags += " --approve " + rule;
  }
  return flags;
}

// E7: the exact grant is named.
base::Error nobody_to_ask(const Decision& decision, const Ledger* ledger) {
  base::Error error = base::make_error(ErrorCode::approval_needed,
                                       "the policy asks a person about this: " + policy::summary_of(decision));
  error.hint =
      ledger != nullptr && ledger->serves()
          ? "do without it, or have the operator set policy.ask to \"wait\" or \"return\", so that somebody can "
            "approve it"
          : "do without it, or allow it: glovebox run" + grants_of(decision);
  return error;
}

base::Error asked(const Decision& decision, const records::Approval& approval) {
  return base::make_error(ErrorCode::approval_needed, fmt::format("the policy asks a person about this: {}; {} waits "
                                                                  "for an answer",
                                                                  policy::summary_of(decision), approval.id))
      .with_hint(
          fmt::format("`glovebox approvals approve {}`, or POST /v1/approvals/{}, and send the same request again",
                      approval.id, approval.id));
}

}  // namespace

Result<Decision> Runner::decide(const Step& step, Answer& answer) {
  const auto started = std::chrono::steady_clock::now();
  std::string tenant_profile;
  if (ledger_ != nullptr) {
    tenant_profile = TRY(ledger_->governor().policy_of(step.options.caller.tenant, unix_ms()));
  }
  const auto policy = TRY(policies_.effective(step.request.policy, tenant_profile));
  policy::PolicyQuestion question = policy::question_of(step.request, step.profile.id);
  question.second = step.verify.second_program();
  question.called = step.verify.called_functions();
  question.approved_rules = step.options.approved_rules;
  Decision decision = policy::decide(*policy, question);
  if (decision.verdict == Verdict::allow && !step.options.approved_rules.empty()) {
    decision.approved_by = step.options.approver;
  }
  answer.stage("policy", base::ms_since(started));
  return decision;
}

Result<Decision> Runner::check_policy(const RunRequest& request, const Caller& caller, policy::Detail detail) {
  const auto profile = TRY(language(request.language));
  const std::string tenant_profile =
      ledger_ != nullptr ? TRY(ledger_->governor().policy_of(caller.tenant, unix_ms())) : "";
  const auto policy = TRY(policies_.effective(request.policy, tenant_profile));
  const VerifyStep verify = TRY(VerifyStep::prepare(request, *profile, languages_));
  policy::PolicyQuestion question = policy::question_of(request, profile->id);
  question.second = verify.second_program();
  question.called = verify.called_functions();
  return policy::decide(*policy, question, detail);
}

std::optional<RunResult> Runner::approve(const Step& step, Decision& decision, LedgerEntry* entry, Answer& answer) {
  if (decision.verdict != Verdict::ask) {
    return std::nullopt;
  }
  const RunOptions& options = step.options;
  const auto told = [&] {
    if (entry != nullptr) {
      entry->decision_json = policy::to_json(decision);
    }
  };
  const auto rejected = [&](base::Error error) {
    RunResult result = answer.rejected(decision, std::move(error));
    if (entry == nullptr) {
      return result;
    }
    // Nobody has answered, so the key is not used up: the same request may be sent again once it is approved.
    ledger_->give_claim_back(*entry, step.request);
    return recorded(*entry, step.request, std::move(result));
  };
  if (options.ask) {
    if (options.ask(decision)) {
      consent(decision, options.approver);
      told();
      return std::nullopt;
    }
    return rejected(
        base::make_error(ErrorCode::rejected, options.approver + " said no: " + policy::summary_of(decision)));
  }
  if (entry == nullptr || !ledger_->asks()) {
    return rejected(nobody_to_ask(decision, ledger_.get()));
  }
  auto used = ledger_->use_approval(*entry, decision.policy);
  if (!used) {
    return rejected(used.error());
  }
  if (*used) {
    consent(decision, fmt::format("{} ({})", (*used)->answered_by, (*used)->id));
    told();
    return std::nullopt;
  }
  auto question = ledger_->ask_approval(*entry, step.request, decision);
  if (!question) {
    return rejected(question.error());
  }
  if (options.parked == nullptr) {
    return rejected(asked(decision, *question));
  }
  // Begun, so that a restart knows of it.
  if (!entry->begun) {
    if (auto begun = ledger_->begin(*entry, step.request); !begun) {
      ledger_->give_back(*entry, step.request);
      return answer.refused(begun.error());
    }
  }
  RunResult provisional = answer.rejected(decision, asked(decision, *question));
  options.parked->emplace(Parked{std::move(*question), std::move(*entry), std::move(decision)});
  return provisional;
}

RunResult Runner::end_parked(const RunRequest& request, const RunOptions& options, Parked parked,
                             const base::Error& error) {
  Answer answer(request, options.run_id);
  answer.provenance(hash_of_inputs(request), engine_->image().digest);
  answer.policy(parked.decision.policy);
  answer.waited(options.queue_ms);
  // It did not run, and may yet: only a no and a change of mind use the key up.
  if (error.code != ErrorCode::rejected && error.code != ErrorCode::cancelled) {
    ledger_->give_claim_back(parked.entry, request);
  }
  const bool by_policy = error.code == ErrorCode::approval_needed || error.code == ErrorCode::rejected;
  return recorded(parked.entry, request, by_policy ? answer.rejected(parked.decision, error) : answer.refused(error));
}

}  // namespace glovebox::runner

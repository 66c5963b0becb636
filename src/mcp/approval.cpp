#include "mcp/approval.h"

#include <fmt/format.h>

#include <utility>

#include "base/sha256.h"
#include "base/utf8.h"
#include "mcp/elicitation.h"

namespace glovebox::mcp {
namespace {

constexpr auto kApprovalTimeout = std::chrono::seconds(300);
constexpr int kMostOpen = 256;
constexpr int kMostOfTenant = 16;
constexpr std::size_t kShownFindings = 8;
constexpr std::size_t kShownBytes = 200;
constexpr std::string_view kKey = "approval";
constexpr std::string_view kApprovalSchema =
    R"({"type":"object","properties":{"approve":{"type":"boolean","title":"Run it",)"
    R"("description":"Allow this one run","default":false}},"required":["approve"]})";

std::string place_of(const policy::Finding& finding) {
  const std::string file = finding.file.empty() ? "" : " in " + base::printable(finding.file, kShownBytes);
  return file + (finding.at ? fmt::format(", line {}, column {}", finding.at->line, finding.at->column) : "");
}

std::string text_of(const Question& question) {
  const policy::Decision& decision = question.decision;
  std::string text = fmt::format("A program wants to run in the sandbox, and the policy {} asks you first.",
                                 decision.policy.substr(0, decision.policy.find('@')));
  std::size_t shown = 0;
  for (const policy::Finding& finding : decision.findings) {
    if (finding.verdict != policy::Verdict::ask || ++shown > kShownFindings) {
      continue;
    }
    text += fmt::format("\n- {}{}: {} (rule {})", base::printable(finding.subject, kShownBytes), place_of(finding),
                        base::printable(finding.reason, kShownBytes), finding.rule);
  }
  text += shown > kShownFindings ? fmt::format("\n- and {} more", shown - kShownFindings) : "";
  return text + std::string(question.program);
}

Consent consent_of(const std::optional<Elicited>& answer, const Call& call) {
  Consent consent;
  consent.granted = answer && answer->action == Elicited::Action::accept && is_true(member(answer->content, "approve"));
  consent.by = !answer ? "nobody could answer; the server"
                       : "the user of " + (call.client().name.empty() ? "the MCP client" : call.client().name);
  return consent;
}

}  // namespace

bool can_ask_person(const Call& call) {
  return call.client().elicitation && call.host().may_approve() && (call.stateless() || call.can_ask());
}

Approvals::Approvals(Ticker& ticker) : ticker_(ticker), states_(kApprovalTimeout) {}

void Approvals::ask(const CallPtr& call, const Question& question, const std::string& binding,
                    std::function<void(Consent)> then) {
  const std::string form = form_members(*call, text_of(question), kApprovalSchema);
  if (!call->stateless()) {
    const std::string tenant = call->host().caller().tenant;
    {
      const std::lock_guard lock(open_->mutex);
      if (open_->all >= kMostOpen || open_->by_tenant[tenant] >= kMostOfTenant) {
        return then(consent_of(std::nullopt, *call));
      }
      ++open_->all;
      ++open_->by_tenant[tenant];
    }
    return ask_client(call, ticker_, "elicitation/create", form, kApprovalTimeout,
                      [call, tenant, open = open_, then = std::move(then)](const Reply& reply) {
                        {
                          const std::lock_guard lock(open->mutex);
                          --open->all;
                          if (--open->by_tenant[tenant] == 0) {
                            open->by_tenant.erase(tenant);
                          }
                        }
                        then(consent_of(read_elicited(reply.result), *call));
                      });
  }
  // Good for this caller, this request, and what the policy asks about it now.
  const runner::Caller& caller = call->host().caller();
  const std::string whole = base::sha256_hex(caller.tenant + "\n" + caller.key_id + "\n" + binding);
  const auto ask_again = [&] {
    call->require_input(fmt::format(R"("inputRequests":{{"{}":{{"method":"elicitation/create","params":{{{}}}}}}},)"
                                    R"("requestState":"{}")",
                                    kKey, form, states_.issue(whole, "", caller.tenant)));
  };
  const std::string* state = string_member(call->params(), "requestState");
  if (state == nullptr) {
    return ask_again();
  }
  if (auto redeemed = states_.redeem(*state, whole); !redeemed) {
    return call->fail(std::move(redeemed.error()));
  }
  auto responses = read_input_responses(*call);
  if (!responses) {
    return call->fail(std::move(responses.error()));
  }
  const contract::JsonValue* answer = object_member(*responses, kKey);
  if (answer == nullptr) {
    return ask_again();
  }
  then(consent_of(read_elicited(*answer), *call));
}

}  // namespace glovebox::mcp

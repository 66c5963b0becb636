// Runs that a person has to approve: how they wait, and how they are answered (P4).
#include <fmt/format.h>

#include <charconv>

#include "base/utf8.h"
#include "contract/json_parse.h"
#include "contract/json_reader.h"
#include "contract/json_writer.h"
#include "records/record_json.h"
#include "runner/approval_detail.h"
#include "server/api/answers.h"
#include "server/api/api.h"
#include "server/api/names.h"
#include "server/api/query.h"

namespace glovebox::server {
namespace {

using base::ErrorCode;
using base::make_error;
using records::Approval;
using records::ApprovalState;

constexpr std::size_t kMaxNoteBytes = 1000;
constexpr std::int64_t kSecondMs = 1000;
constexpr std::size_t kDefaultPage = 50;
constexpr unsigned kFullRetryS = 10;

struct Wish {
  records::ApprovalAnswer answer = records::ApprovalAnswer::reject;
  std::string note;
};

base::Result<Wish> read_answer(const std::string& body) {
  static constexpr std::string_view kFields[] = {"answer", "note"};
  contract::JsonValue document = TRY(contract::parse_json(body, {}));
  const contract::JsonObject object = TRY(contract::JsonNode(document, "").object(kFields));
  const contract::JsonNode field = TRY(object.require("answer"));
  const std::string word = TRY(field.take_string());
  if (word != "approve" && word != "reject") {
    return base::fail(field.error("an answer is \"approve\" or \"reject\""));
  }
  Wish wish;
  wish.answer = word == "approve" ? records::ApprovalAnswer::approve : records::ApprovalAnswer::reject;
  if (const auto note = object.find("note"); note) {
    wish.note = TRY(note->take_string_or_null());
    if (wish.note.size() > kMaxNoteBytes || base::has_deceptive_characters(wish.note)) {
      return base::fail(note->error("a note has at most 1000 bytes and no control characters"));
    }
  }
  return wish;
}

std::string told(const Approval& approval) {
  switch (approval.state) {
    case ApprovalState::approved:
    case ApprovalState::used:
      return "approved by " + approval.answered_by;
    case ApprovalState::rejected:
      return "rejected by " + approval.answered_by;
    case ApprovalState::pending:
    case ApprovalState::expired:
      break;
  }
  return "not answered in time";
}

// Why a run that waited does not happen.
base::Error error_of(WaitEnd why, const Approval& approval, const policy::Decision& decision) {
  switch (why) {
    case WaitEnd::cancelled:
      return make_error(ErrorCode::cancelled, "it was stopped while it waited for " + approval.id);
    case WaitEnd::stopped:
      return make_error(ErrorCode::stopped, "the service was stopped while it waited for " + approval.id);
    case WaitEnd::draining:
      return make_error(ErrorCode::draining, "the service ends while it waited for " + approval.id);
    case WaitEnd::full:
      return make_error(ErrorCode::overloaded, "too many runs wait for approval already").with_retry_after(kFullRetryS);
    case WaitEnd::answered:
    case WaitEnd::expired:
      break;
  }
  if (approval.state == ApprovalState::rejected) {
    return make_error(ErrorCode::rejected, fmt::format("{} rejected it ({}){}: {}", approval.answered_by, approval.id,
                                                       approval.note.empty() ? "" : ", \"" + approval.note + "\"",
                                                       policy::summary_of(decision)));
  }
  return make_error(ErrorCode::approval_needed,
                    fmt::format("nobody answered {} in time: {}", approval.id, policy::summary_of(decision)))
      .with_hint(
          "do without it, or send the same request again when somebody is there to answer: `glovebox approvals`");
}

std::string_view reason_of(WaitEnd why) {
  return why == WaitEnd::expired     ? "nobody answered in time"
         : why == WaitEnd::cancelled ? "nobody waits for it any more"
                                     : "the service was stopped";
}

std::uint64_t bytes_of(const contract::RunRequest& request) {
  std::uint64_t bytes = request.code.size() + request.standard_input.size();
  for (const contract::InputFile& file : request.files) {
    const auto* content = std::get_if<std::string>(&file.content);
    bytes += content == nullptr ? 0 : content->size();
  }
  return bytes;
}

// An approval is by somebody who saw all of it.
std::optional<http::Response> refuse_approving(const Approval& approval) {
  const std::vector<std::string> cut = runner::cut_parts(approval.detail_json);
  if (cut.empty()) {
    return std::nullopt;
  }
  return conflict(fmt::format("{} cannot be shown to its end, so it cannot be approved: send a smaller request",
                              fmt::join(cut, ", ")),
                  "");
}

}  // namespace

void Api::park(const RunCallPtr& run) {
  const Approval approval = run->parked->approval;
  live_.waits_for(run->run_id, approval.id);
  if (run->form == RunCall::Form::stream) {
    send(*run, "state", fmt::format(R"({{"state":"waiting","approval_id":"{}"}})", approval.id));
  } else if (run->form == RunCall::Form::answer && ledger().settings().policy.ask == runner::WhenAsked::answer) {
    run->form = RunCall::Form::later;
    run->call->respond(accepted(run->run_id, "waiting", approval.id));
  }
  ApprovalDesk::Visitor visitor;
  visitor.approval_id = approval.id;
  visitor.run_id = run->run_id;
  visitor.tenant = run->caller.tenant;
  visitor.bytes = bytes_of(*run->request);
  visitor.until_ms = approval.expires_ms;
  visitor.callback = [this, run](WaitEnd why) { wait_is_over(run, why); };
  const LiveRuns::Token token = run->token;
  const std::string run_id = run->run_id;
  desk_.wait(std::move(visitor));
  // What happened before it sat down. From here on the run may be somebody else's.
  if (const auto now = ledger().store().find_approval(approval.id);
      !now || !*now || (*now)->state != ApprovalState::pending) {
    desk_.answered(approval.id);
  }
  if (ledger().governor().stopped()) {
    desk_.end_all(WaitEnd::stopped);
  }
  if (token->is_cancelled()) {
    stop_waiting(run_id);
  }
}

// On any thread, which must not be kept waiting.
void Api::wait_is_over(const RunCallPtr& run, WaitEnd why) {
  const auto queued =
      chores_.submit(run->caller.tenant, 0, "", [this, run, why](const runner::Waited&) { leave_desk(run, why); });
  if (!queued) {
    leave_desk(run, why);
  }
}

void Api::leave_desk(const RunCallPtr& run, WaitEnd why) {
  live_.waits_for(run->run_id, "");
  Approval approval = run->parked->approval;
  if (auto now = ledger().store().find_approval(approval.id); now && *now) {
    approval = std::move(**now);
  }
  if (why == WaitEnd::expired || why == WaitEnd::stopped || why == WaitEnd::draining) {
    (void)ledger().store().expire_approval(approval.id, reason_of(why), runner::unix_ms());
  }
  const bool approved = approval.state == ApprovalState::approved || approval.state == ApprovalState::used;
  const bool goes_on = why == WaitEnd::answered || why == WaitEnd::expired;
  if (goes_on && run->token->is_cancelled()) {
    const WaitEnd ended = ledger().governor().stopped() ? WaitEnd::stopped : WaitEnd::cancelled;
    return give_up(run, error_of(ended, approval, run->parked->decision));
  }
  if (goes_on && approved) {
    // Used already: by an equal run that waited too. This one asks again.
    if (auto queued = line_up(run); !queued) {
      give_up(run, queued.error());
    }
    return;
  }
  give_up(run, error_of(why, approval, run->parked->decision));
}

void Api::stop_waiting(const std::string& run_id) {
  const auto unwanted = desk_.cancel(run_id);
  if (!unwanted) {
    return;
  }
  const auto expire = [this, id = *unwanted](const runner::Waited&) {
    (void)ledger().store().expire_approval(id, reason_of(WaitEnd::cancelled), runner::unix_ms());
  };
  if (!chores_.submit("", 0, "", expire)) {
    expire({});
  }
}

// A question that nobody waits for, such as one of a batch, is not watched by the desk: it ends when somebody looks.
void Api::end_if_over(Approval& approval) {
  const std::int64_t now = runner::unix_ms();
  if (approval.state == ApprovalState::pending && approval.expires_ms <= now) {
    (void)ledger().store().expire_approval(approval.id, reason_of(WaitEnd::expired), now);
    approval.state = ApprovalState::expired;
    approval.note = reason_of(WaitEnd::expired);
  }
}

std::optional<Approval> Api::find_approval(const CallPtr& call) {
  const std::string& id = call->parameters.front();
  if (!is_approval_id(id)) {
    call->respond(bad_request("approval_id", "this is no approval's id"));
    return std::nullopt;
  }
  auto approval = ledger().store().find_approval(id);
  if (!approval) {
    call->respond(problem(approval.error()));
    return std::nullopt;
  }
  // Another tenant's is no more there than one that never was; an administrator answers for all.
  if (!*approval || ((*approval)->tenant != call->identity.tenant && !call->identity.may("admin"))) {
    call->respond(not_found("there is no approval " + id));
    return std::nullopt;
  }
  end_if_over(**approval);
  return std::move(*approval);
}

void Api::list_approvals(const CallPtr& call) {
  std::size_t limit = kDefaultPage;
  if (auto refused = read_limit(call->request(), limit); refused) {
    return call->respond(std::move(*refused));
  }
  records::ApprovalFilter filter;
  if (const std::string* state = call->request().query_value("state"); state != nullptr) {
    filter.state = records::parse_approval_state(*state);
    if (!filter.state) {
      return call->respond(bad_request("state", "a state is pending, approved, rejected, used or expired"));
    }
  }
  const std::string* cursor = call->request().query_value("cursor");
  if (cursor != nullptr && !is_approval_id(*cursor)) {
    return call->respond(bad_request("cursor", "not a cursor of a list of approvals"));
  }
  if (!call->identity.may("admin")) {
    filter.tenant = call->identity.tenant;
  }
  chore(call, [this, call, filter, limit, cursor] {
    auto page = ledger().store().approvals(filter, cursor != nullptr ? *cursor : "", limit);
    if (!page) {
      return call->respond(problem(page.error()));
    }
    for (Approval& approval : page->approvals) {
      end_if_over(approval);
    }
    std::erase_if(page->approvals,
                  [&](const Approval& approval) { return filter.state && approval.state != *filter.state; });
    call->respond(json_answer(200, records::to_json(*page)));
  });
}

void Api::get_approval(const CallPtr& call) {
  chore(call, [this, call] {
    if (const auto approval = find_approval(call); approval) {
      call->respond(json_answer(200, records::to_json(*approval)));
    }
  });
}

void Api::answer_approval(const CallPtr& call) {
  if (auto refused = refuse_other_than_json(call->request()); refused) {
    return call->respond(std::move(*refused));
  }
  auto wish = read_answer(call->request().body);
  if (!wish) {
    return call->respond(problem(wish.error()));
  }
  chore(call, [this, call, wish = std::move(*wish)] {
    const auto approval = find_approval(call);
    if (!approval) {
      return;
    }
    if (wish.answer == records::ApprovalAnswer::approve) {
      if (auto refused = refuse_approving(*approval); refused) {
        return call->respond(std::move(*refused));
      }
    }
    const std::int64_t now = runner::unix_ms();
    const std::int64_t usable_until = now + static_cast<std::int64_t>(ledger().settings().policy.wait_s) * kSecondMs;
    const auto answered = ledger().store().answer_approval(
        approval->id, {wish.answer, call->identity.actor, wish.note, now, usable_until,
                       ledger().settings().policy.self_approval ? "" : std::string_view(call->identity.key_id)});
    if (!answered) {
      return call->respond(problem(answered.error()));
    }
    if (!*answered) {
      return call->respond(not_found("there is no approval " + approval->id));
    }
    if ((*answered)->own_question) {
      return call->respond(
          problem(Problem(403, "forbidden", "This key asked for the run, so another one has to approve it.",
                          "the setting policy.self_approval would allow it")));
    }
    if (!(*answered)->decided) {
      return call->respond(conflict("the approval was " + told((*answered)->approval), ""));
    }
    desk_.answered(approval->id);
    observers_.log.log(telemetry::LogLevel::info, "an approval was answered",
                       {{"approval", approval->id},
                        {"by", call->identity.actor},
                        {"state", records::to_string((*answered)->approval.state)},
                        {"tenant", approval->tenant}});
    call->respond(json_answer(200, records::to_json((*answered)->approval)));
  });
}

}  // namespace glovebox::server

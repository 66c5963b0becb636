#include "records/approval_rows.h"

#include <algorithm>
#include <array>

#include "contract/json_writer.h"

namespace glovebox::records {
namespace {

using base::ErrorCode;
using base::fail;
using base::Result;
using base::Status;

constexpr std::array<std::string_view, 5> kApprovalStates = {"pending", "approved", "rejected", "used", "expired"};
static_assert(static_cast<std::size_t>(ApprovalState::expired) + 1 == kApprovalStates.size());
constexpr std::size_t kMaxPage = 1000;
constexpr std::int64_t kMaxPending = 1000;  // of a tenant; nobody reads more, and each holds a program's text
constexpr std::uint32_t kFullRetryS = 60;

constexpr std::string_view kColumns =
    "SELECT id, tenant, run_id, request_sha256, policy, state, created_ms, expires_ms, answered_ms, answered_by, note, "
    "used_by, detail_json, asked_by FROM approvals ";

// Kept by the one who calls it: statements are found by the address of their text.
std::string select(std::string_view condition) { return std::string(kColumns) + std::string(condition); }

std::string with_short_detail(std::string_view condition) {
  constexpr std::string_view kWhole = "detail_json,";
  constexpr std::string_view kShort =
      "CASE WHEN json_valid(detail_json) THEN json_remove(detail_json, '$.request', '$.decision') ELSE '{}' END,";
  std::string sql = select(condition);
  return sql.replace(sql.find(kWhole), kWhole.size(), kShort);
}

Result<Approval> read_row(const Statement& row) {
  Approval approval;
  approval.id = row.text(0);
  approval.tenant = row.text(1);
  approval.run_id = row.text(2);
  approval.request_sha256 = row.text(3);
  approval.policy = row.text(4);
  const auto state = parse_approval_state(row.view(5));
  if (!state) {
    return fail(ErrorCode::internal_error, "an approval has a state that is not known");
  }
  approval.state = *state;
  approval.created_ms = row.integer(6);
  approval.expires_ms = row.integer(7);
  approval.answered_ms = row.integer(8);
  approval.answered_by = row.text(9);
  approval.note = row.text(10);
  approval.used_by = row.text(11);
  approval.detail_json = row.text(12);
  approval.asked_by = row.text(13);
  return approval;
}

Status note_in_audit(Transaction& transaction, std::string_view kind, std::string_view actor, const Approval& approval,
                     std::string_view word, std::int64_t now_ms) {
  contract::JsonWriter json;
  json.begin_object();
  const auto text = [&](std::string_view name, std::string_view value) { json.string(name, value); };
  text("tenant", approval.tenant);
  text("run_id", approval.run_id);
  text("request_sha256", approval.request_sha256);
  text("policy", approval.policy);
  if (!word.empty()) {
    text("note", word);
  }
  json.end_object();
  AuditEvent event;
  event.time_ms = now_ms;
  event.kind = kind;
  event.actor = actor;
  event.subject = approval.id;
  event.detail_json = json.take(contract::JsonStyle::compact);
  TRY_STATUS(transaction.audit.append(event));
  return {};
}

}  // namespace

std::string_view to_string(ApprovalState state) { return kApprovalStates.at(static_cast<std::size_t>(state)); }

std::optional<ApprovalState> parse_approval_state(std::string_view name) {
  const auto found = std::find(kApprovalStates.begin(), kApprovalStates.end(), name);
  return found == kApprovalStates.end() ? std::nullopt
                                        : std::optional(static_cast<ApprovalState>(found - kApprovalStates.begin()));
}

bool asked(const Approval& approval, std::string_view key_id) {
  return !key_id.empty() && (" " + approval.asked_by + " ").find(" " + std::string(key_id) + " ") != std::string::npos;
}

Result<Approval> ask_approval_row(Transaction& transaction, const Approval& question, std::string_view actor) {
  std::optional<Approval> open;
  {
    static const std::string sql = select(
        "WHERE tenant = ?1 AND request_sha256 = ?2 AND policy = ?3 AND state = 'pending' AND expires_ms > ?4 LIMIT 1");
    Statement find = TRY(transaction.database.prepare(sql.c_str()));
    find.bind(question.tenant, question.request_sha256, question.policy, question.created_ms);
    if (TRY(find.step())) {
      open = TRY(read_row(find));
    }
  }
  // Whoever joins an open question has asked it as well.
  if (open) {
    if (!question.asked_by.empty() && !asked(*open, question.asked_by)) {
      open->asked_by += (open->asked_by.empty() ? "" : " ") + question.asked_by;
      Statement join = TRY(transaction.database.prepare("UPDATE approvals SET asked_by = ?2 WHERE id = ?1"));
      join.bind(open->id, open->asked_by);
      TRY_STATUS(join.run());
    }
    return std::move(*open);
  }
  {
    Statement count = TRY(transaction.database.prepare(
        "SELECT count(*) FROM approvals WHERE tenant = ?1 AND state = 'pending' AND expires_ms > ?2"));
    count.bind(question.tenant, question.created_ms);
    if (TRY(count.step()) && count.integer(0) >= kMaxPending) {
      return fail(base::make_error(ErrorCode::overloaded, "too many questions of this tenant wait for an answer")
                      .with_retry_after(kFullRetryS));
    }
  }
  {
    Statement insert = TRY(transaction.database.prepare(
        "INSERT INTO approvals (id, tenant, run_id, request_sha256, policy, state, created_ms, expires_ms, "
        "answered_ms, "
        "answered_by, note, used_by, detail_json, asked_by) "
        "VALUES (?1, ?2, ?3, ?4, ?5, 'pending', ?6, ?7, 0, '', '', '', ?8, ?9)"));
    insert.bind(question.id, question.tenant, question.run_id, question.request_sha256, question.policy,
                question.created_ms, question.expires_ms, question.detail_json, question.asked_by);
    TRY_STATUS(insert.run());
  }
  TRY_STATUS(note_in_audit(transaction, audit_kind::kApprovalAsked, actor, question, {}, question.created_ms));
  return question;
}

Result<std::optional<Approval>> use_approval_row(Transaction& transaction, const ApprovalKey& key,
                                                 std::string_view run_id, std::int64_t now_ms) {
  std::optional<Approval> approval;
  {
    static const std::string sql = select(
        "WHERE tenant = ?1 AND request_sha256 = ?2 AND policy = ?3 AND state = 'approved' AND expires_ms > ?4 "
        "ORDER BY id");
    Statement find = TRY(transaction.database.prepare(sql.c_str()));
    find.bind(key.tenant, key.request_sha256, key.policy, now_ms);
    while (!approval && TRY(find.step())) {
      Approval each = TRY(read_row(find));
      if (key.asked_by.empty() || asked(each, key.asked_by)) {
        approval = std::move(each);
      }
    }
  }
  if (!approval) {
    return approval;
  }
  {
    Statement update = TRY(transaction.database.prepare(
        "UPDATE approvals SET state = 'used', used_by = ?2 WHERE id = ?1 AND state = 'approved'"));
    update.bind(approval->id, run_id);
    TRY_STATUS(update.run());
  }
  approval->state = ApprovalState::used;
  approval->used_by = run_id;
  TRY_STATUS(note_in_audit(transaction, audit_kind::kApprovalUsed, run_id, *approval, {}, now_ms));
  return approval;
}

Result<std::optional<Answered>> answer_approval_row(Transaction& transaction, std::string_view id,
                                                    const NewAnswer& answer) {
  auto found = TRY(find_approval_row(transaction.database, id));
  if (!found) {
    return std::optional<Answered>();
  }
  Answered answered;
  answered.approval = std::move(*found);
  Approval& approval = answered.approval;
  if (approval.state != ApprovalState::pending || approval.expires_ms <= answer.now_ms) {
    return std::optional(std::move(answered));
  }
  const bool yes = answer.answer == ApprovalAnswer::approve;
  if (yes && asked(approval, answer.not_asked_by)) {
    answered.own_question = true;
    return std::optional(std::move(answered));
  }
  approval.state = yes ? ApprovalState::approved : ApprovalState::rejected;
  approval.answered_ms = answer.now_ms;
  approval.answered_by = answer.actor;
  approval.note = answer.note;
  approval.expires_ms = yes ? answer.usable_until_ms : approval.expires_ms;
  {
    Statement update = TRY(transaction.database.prepare(
        "UPDATE approvals SET state = ?2, answered_ms = ?3, answered_by = ?4, note = ?5, expires_ms = ?6 "
        "WHERE id = ?1 AND state = 'pending'"));
    update.bind(approval.id, to_string(approval.state), approval.answered_ms, approval.answered_by, approval.note,
                approval.expires_ms);
    TRY_STATUS(update.run());
  }
  TRY_STATUS(note_in_audit(transaction, yes ? audit_kind::kApprovalApproved : audit_kind::kApprovalRejected,
                           answer.actor, approval, answer.note, answer.now_ms));
  answered.decided = true;
  return std::optional(std::move(answered));
}

Result<bool> expire_approval_row(Transaction& transaction, std::string_view id, std::string_view reason,
                                 std::int64_t now_ms) {
  auto found = TRY(find_approval_row(transaction.database, id));
  if (!found || found->state != ApprovalState::pending) {
    return false;
  }
  {
    Statement update = TRY(transaction.database.prepare(
        "UPDATE approvals SET state = 'expired', note = ?2 WHERE id = ?1 AND state = 'pending'"));
    update.bind(id, reason);
    TRY_STATUS(update.run());
  }
  TRY_STATUS(note_in_audit(transaction, audit_kind::kApprovalExpired, "", *found, reason, now_ms));
  return true;
}

Result<std::uint64_t> expire_approval_rows(Transaction& transaction, std::string_view reason, std::int64_t now_ms) {
  std::vector<std::string> ids;
  {
    Statement find = TRY(transaction.database.prepare("SELECT id FROM approvals WHERE state = 'pending'"));
    while (TRY(find.step())) {
      ids.push_back(find.text(0));
    }
  }
  for (const std::string& id : ids) {
    TRY(expire_approval_row(transaction, id, reason, now_ms));
  }
  return ids.size();
}

Status forget_approval_rows(Database& writer, std::int64_t before_ms) {
  Statement statement =
      TRY(writer.prepare("DELETE FROM approvals WHERE created_ms < ?1 AND (state <> 'pending' OR expires_ms < ?1)"));
  statement.bind(before_ms);
  return statement.run();
}

Result<std::optional<Approval>> find_approval_row(Database& reader, std::string_view id) {
  static const std::string sql = select("WHERE id = ?1");
  Statement find = TRY(reader.prepare(sql.c_str()));
  find.bind(id);
  if (!TRY(find.step())) {
    return std::nullopt;
  }
  return TRY(read_row(find));
}

Result<ApprovalPage> list_approval_rows(Database& reader, const ApprovalFilter& filter, std::string_view cursor,
                                        std::size_t limit) {
  limit = std::clamp<std::size_t>(limit, 1, kMaxPage);
  const std::optional<std::string_view> state = filter.state ? std::optional(to_string(*filter.state)) : std::nullopt;
  // Programs may be megabytes each; who wants to see one asks for it.
  static const std::string sql = with_short_detail(
      "WHERE (?1 IS NULL OR tenant = ?1) AND (?2 IS NULL OR state = ?2) AND (?3 = '' OR id < ?3) "
      "ORDER BY id DESC LIMIT ?4");
  Statement list = TRY(reader.prepare(sql.c_str()));
  list.bind(filter.tenant, state, cursor, limit + 1);
  ApprovalPage page;
  while (TRY(list.step())) {
    if (page.approvals.size() == limit) {
      page.next_cursor = page.approvals.back().id;
      break;
    }
    page.approvals.push_back(TRY(read_row(list)));
  }
  return page;
}

}  // namespace glovebox::records

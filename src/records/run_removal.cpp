#include "records/run_removal.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "contract/json_writer.h"
#include "records/claim_rows.h"
#include "records/usage_rows.h"

namespace glovebox::records {
namespace {

using base::ErrorCode;
using base::fail;
using base::Result;
using base::Status;

// Runs per transaction: a few milliseconds of work.
constexpr std::uint64_t kRunsPerStep = 100;

struct Doomed {
  std::int64_t number = 0;
  std::string run_id;
  std::string tenant;
  std::optional<std::string> idempotency_key;
  std::uint64_t stored_bytes = 0;
  std::int64_t created_ms = 0;
};

Status delete_where_number(Database& writer, const char* literal, std::int64_t number) {
  Statement statement = TRY(writer.prepare(literal));
  statement.bind(number);
  return statement.run();
}

Result<std::vector<std::int64_t>> content_ids_of(Database& writer, std::int64_t number) {
  Statement statement =
      TRY(writer.prepare("SELECT DISTINCT content_id FROM run_contents WHERE number = ?1 AND content_id IS NOT NULL"));
  statement.bind(number);
  std::vector<std::int64_t> ids;
  while (TRY(statement.step())) {
    ids.push_back(statement.integer(0));
  }
  return ids;
}

// Deletes the rows of one run; adds to `files` the hashes of contents whose file may go.
Status delete_rows(Database& writer, const Doomed& run, std::vector<std::string>& files) {
  const std::vector<std::int64_t> content_ids = TRY(content_ids_of(writer, run.number));
  TRY_STATUS(delete_where_number(writer, "DELETE FROM run_contents WHERE number = ?1", run.number));
  TRY_STATUS(delete_where_number(writer, "DELETE FROM run_texts WHERE number = ?1", run.number));
  TRY_STATUS(delete_where_number(writer, "DELETE FROM runs WHERE number = ?1", run.number));
  for (const std::int64_t id : content_ids) {
    Statement statement = TRY(writer.prepare(
        "DELETE FROM contents WHERE content_id = ?1 AND NOT EXISTS "
        "(SELECT 1 FROM run_contents WHERE run_contents.content_id = ?1) RETURNING sha256, data IS NULL"));
    statement.bind(id);
    while (TRY(statement.step())) {
      if (statement.flag(1)) {
        files.push_back(statement.text(0));
      }
    }
  }
  if (run.idempotency_key) {
    TRY_STATUS(settle_claim(writer, run.tenant, *run.idempotency_key, run.run_id, "deleted"));
  }
  return add_storage(writer, run.tenant, -static_cast<std::int64_t>(run.stored_bytes));
}

Status remove_files(CommitQueue& queue, const Contents& contents, const std::vector<std::string>& files) {
  if (files.empty()) {
    return {};
  }
  return queue.commit([&](Transaction& transaction) { return contents.remove_files(transaction.database, files); });
}

Doomed read_doomed(const Statement& row) {
  Doomed run;
  run.number = row.integer(0);
  run.run_id = row.text(1);
  run.tenant = row.text(2);
  run.idempotency_key = row.optional_text(3);
  run.stored_bytes = row.count(4);
  run.created_ms = row.integer(5);
  return run;
}

// The oldest runs that are too old, or too many for the bytes.
Result<std::vector<Doomed>> choose(Database& writer, const Retention& retention, std::int64_t now_ms) {
  std::uint64_t stored = TRY(read_storage(writer, {}));
  Statement statement = TRY(writer.prepare(
      "SELECT number, run_id, tenant, idempotency_key, stored_bytes, created_ms FROM runs WHERE state <> 'running' "
      "ORDER BY created_ms, number LIMIT ?1"));
  statement.bind(kRunsPerStep);
  std::vector<Doomed> chosen;
  while (TRY(statement.step())) {
    Doomed run = read_doomed(statement);
    const bool too_old = retention.max_age_ms > 0 && run.created_ms < now_ms - retention.max_age_ms;
    const bool too_much = retention.max_bytes > 0 && stored > retention.max_bytes;
    if (!too_old && !too_much) {
      break;
    }
    stored -= std::min(stored, run.stored_bytes);
    chosen.push_back(std::move(run));
  }
  return chosen;
}

AuditEvent retention_event(const std::vector<Doomed>& runs, std::int64_t now_ms) {
  contract::JsonWriter json;
  json.begin_object();
  json.key("runs");
  json.begin_array();
  for (const Doomed& run : runs) {
    json.string(run.run_id);
  }
  json.end_array();
  json.end_object();
  AuditEvent event;
  event.time_ms = now_ms;
  event.kind = audit_kind::kRetention;
  event.actor = "retention";
  event.detail_json = json.take(contract::JsonStyle::compact);
  return event;
}

// What one transaction has taken away.
struct Removed {
  std::uint64_t runs = 0;
  std::uint64_t stored_bytes = 0;
  std::vector<std::string> files;  // hashes of contents whose file may go
};

Result<Removed> remove_one(Transaction& transaction, std::string_view run_id, std::string_view actor,
                           std::int64_t now_ms) {
  Removed removed;
  Doomed run;
  {
    Statement statement = TRY(transaction.database.prepare(
        "SELECT number, run_id, tenant, idempotency_key, stored_bytes, created_ms, state FROM runs WHERE run_id = ?1"));
    statement.bind(run_id);
    if (!TRY(statement.step())) {
      return removed;
    }
    if (statement.view(6) == "running") {
      return fail(base::make_error(ErrorCode::invalid_request, "the run " + std::string(run_id) + " is running")
                      .with_hint("cancel it first"));
    }
    run = read_doomed(statement);
  }
  TRY_STATUS(delete_rows(transaction.database, run, removed.files));
  AuditEvent event;
  event.time_ms = now_ms;
  event.kind = audit_kind::kRunDeleted;
  event.actor = actor;
  event.subject = run_id;
  TRY_STATUS(transaction.audit.append(event));
  removed.runs = 1;
  removed.stored_bytes = run.stored_bytes;
  return removed;
}

Result<Removed> remove_some(Transaction& transaction, const Retention& retention, std::int64_t now_ms) {
  Removed removed;
  const std::vector<Doomed> runs = TRY(choose(transaction.database, retention, now_ms));
  for (const Doomed& run : runs) {
    TRY_STATUS(delete_rows(transaction.database, run, removed.files));
    removed.stored_bytes += run.stored_bytes;
  }
  if (!runs.empty()) {
    TRY_STATUS(transaction.audit.append(retention_event(runs, now_ms)));
  }
  removed.runs = runs.size();
  return removed;
}

Status forget(Transaction& transaction, std::int64_t before_ms) {
  TRY_STATUS(forget_claims(transaction.database, before_ms));
  return forget_tasks(transaction.database, before_ms);
}

}  // namespace

Result<bool> remove_run(CommitQueue& queue, const Contents& contents, std::string_view run_id, std::string_view actor,
                        std::int64_t now_ms) {
  const Removed removed =
      TRY(queue.commit_value([&](Transaction& transaction) { return remove_one(transaction, run_id, actor, now_ms); }));
  TRY_STATUS(remove_files(queue, contents, removed.files));
  return removed.runs == 1;
}

Result<RetentionReport> remove_old_runs(CommitQueue& queue, const Contents& contents, const Retention& retention,
                                        std::int64_t now_ms) {
  RetentionReport report;
  Removed step;
  do {
    step =
        TRY(queue.commit_value([&](Transaction& transaction) { return remove_some(transaction, retention, now_ms); }));
    TRY_STATUS(remove_files(queue, contents, step.files));
    report.runs += step.runs;
    report.stored_bytes += step.stored_bytes;
  } while (step.runs == kRunsPerStep);
  if (retention.max_age_ms > 0) {
    const std::int64_t before_ms = now_ms - retention.max_age_ms;
    TRY_STATUS(queue.commit([&](Transaction& transaction) { return forget(transaction, before_ms); }));
  }
  return report;
}

Status sweep_contents(CommitQueue& queue, const Contents& contents) {
  contents.remove_stale_temporaries();
  for (unsigned folder = 0; folder < Contents::kFolders; ++folder) {
    TRY_STATUS(remove_files(queue, contents, contents.files_in(folder)));
  }
  return {};
}

}  // namespace glovebox::records

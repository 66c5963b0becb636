#include "records/run_journal.h"

#include "contract/json_writer.h"
#include "contract/request_rules.h"
#include "contract/run_request_codec.h"
#include "contract/run_result_codec.h"
#include "records/claim_rows.h"
#include "records/run_texts.h"

namespace glovebox::records {
namespace {

using base::ErrorCode;
using base::fail;
using base::Result;
using base::Status;

constexpr std::int64_t kDayMs = 86'400'000;
// Other writers get their turn between two steps.
constexpr std::uint64_t kInterruptedPerStep = 200;

std::uint64_t stored_bytes_of(const std::vector<Content>& contents) {
  std::uint64_t sum = 0;
  for (const Content& content : contents) {
    sum += content.stored_bytes;
  }
  return sum;
}

AuditEvent run_event(std::string_view kind, const RunRow& row, std::string_view sha256) {
  contract::JsonWriter json;
  json.begin_object();
  json.string("tenant", row.summary.tenant);
  json.string_or_null("outcome", row.summary.outcome ? contract::to_string(*row.summary.outcome) : std::string_view());
  json.string("record_sha256", sha256);
  json.end_object();
  AuditEvent event;
  event.time_ms = row.summary.finished_ms;
  event.kind = kind;
  event.actor = row.summary.key_id;
  event.subject = row.summary.run_id;
  event.detail_json = json.take(contract::JsonStyle::compact);
  return event;
}

// What cannot be read back must not be written.
Status check_start(const RunStart& start) {
  if (start.run_id.empty() || start.tenant.empty()) {
    return fail(ErrorCode::invalid_request, "a run needs an id and a tenant to be recorded");
  }
  return start.request.expect_json ? contract::check_run_request(start.request)
                                   : contract::check_request_rules(start.request);
}

Status settle_claim_of(Database& writer, const RunRow& row, std::string_view state) {
  if (!row.idempotency_key) {
    return {};
  }
  return settle_claim(writer, row.summary.tenant, *row.idempotency_key, row.summary.run_id, state);
}

Status interrupt(Transaction& transaction, const std::string& run_id, std::int64_t now_ms) {
  auto row = TRY(find_row(transaction.database, run_id));
  row->summary.state = RunState::interrupted;
  row->summary.finished_ms = now_ms;
  const std::string sha256 = record_sha256(*row, TRY(contents_of(transaction.database, row->number)));
  row->audit_seq = TRY(transaction.audit.append(run_event(audit_kind::kRunInterrupted, *row, sha256)));
  TRY_STATUS(end_run(transaction.database, *row));
  TRY_STATUS(settle_claim_of(transaction.database, *row, "interrupted"));
  return count_run(transaction.database, row->summary, {});
}

Result<std::uint64_t> interrupt_some(Transaction& transaction, std::int64_t now_ms) {
  const std::int64_t others_before_ms = now_ms - kDayMs;
  std::vector<std::string> run_ids;
  {
    Statement statement = TRY(transaction.database.prepare(
        "SELECT run_id FROM runs WHERE state = 'running' AND (served = 1 OR created_ms < ?1) LIMIT ?2"));
    statement.bind(others_before_ms, kInterruptedPerStep);
    while (TRY(statement.step())) {
      run_ids.push_back(statement.text(0));
    }
  }
  for (const std::string& run_id : run_ids) {
    TRY_STATUS(interrupt(transaction, run_id, now_ms));
  }
  TRY_STATUS(interrupt_claims(transaction.database, others_before_ms));
  return run_ids.size();
}

}  // namespace

Status RunJournal::begin(RunStart start, Origin origin) {
  std::shared_ptr<Started> started = TRY(prepare(std::move(start), origin));
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = running_.try_emplace(started->row.summary.run_id, started);
  if (!is_new) {
    return fail(ErrorCode::invalid_request, "the run " + started->row.summary.run_id + " has begun already");
  }
  started->posted = queue_.post([this, started](Transaction& transaction) { return save(transaction, *started); });
  return {};
}

Status RunJournal::finish(RunEnd end) {
  std::shared_ptr<Started> started;
  {
    const std::lock_guard lock(mutex_);
    const auto found = running_.find(end.run_id);
    if (found == running_.end()) {
      return fail(ErrorCode::invalid_request, "the run " + end.run_id + " has not begun here, or has ended");
    }
    started = std::move(found->second);
    running_.erase(found);
  }
  return commit(*started, std::move(end));
}

Status RunJournal::record(RunStart start, RunEnd end, Origin origin) {
  if (start.run_id != end.run_id) {
    return fail(ErrorCode::invalid_request, "start and end are of two runs");
  }
  const std::shared_ptr<Started> started = TRY(prepare(std::move(start), origin));
  return commit(*started, std::move(end));
}

Result<std::shared_ptr<RunJournal::Started>> RunJournal::prepare(RunStart start, Origin origin) {
  TRY_STATUS(check_start(start));
  auto started = std::make_shared<Started>();
  RunRow& row = started->row;
  row.summary.run_id = std::move(start.run_id);
  row.summary.tenant = std::move(start.tenant);
  row.summary.key_id = std::move(start.key_id);
  row.summary.task_id = std::move(start.task_id);
  row.summary.replay_of = std::move(start.replay_of);
  row.summary.language = start.request.language;
  row.summary.created_ms = start.created_ms;
  row.idempotency_key = std::move(start.idempotency_key);
  row.request_sha256 = std::move(start.request_sha256);
  row.cache_key = std::move(start.cache_key);
  row.traceparent = std::move(start.traceparent);
  row.served = origin == Origin::service;
  Readers::Lease reader = TRY(readers_.take());
  started->contents = TRY(take_contents(contents_, reader.database(), start.request));
  row.request_json = contract::to_json(start.request);
  row.summary.stored_bytes = row.request_json.size() + stored_bytes_of(started->contents);
  add_start(started->digest, row, rows_of(started->contents));
  return started;
}

Result<RunJournal::Ended> RunJournal::prepare(const Started& started, RunEnd end) {
  Ended ended;
  ended.row = started.row;
  ended.bytes = bytes_of(end.result);
  Readers::Lease reader = TRY(readers_.take());
  ended.contents = TRY(take_contents(contents_, reader.database(), end.result));
  RunRow& row = ended.row;
  row.result_json = contract::to_json(end.result);
  row.decision_json = std::move(end.decision_json);
  row.cacheable = end.cacheable && !row.cache_key.empty();
  RunSummary& summary = row.summary;
  summary.state = RunState::finished;
  summary.outcome = end.result.outcome;
  summary.success = end.result.success;
  summary.cached = end.result.cached;
  summary.finished_ms = end.finished_ms;
  summary.wall_ms = contract::round_ms(end.result.metrics.wall_ms);
  summary.cpu_ms = contract::round_ms(end.result.metrics.cpu_ms);
  summary.error_code = end.result.error ? base::to_string(end.result.error->code) : "";
  row.redactions_json = write_redactions(end.redactions);
  for (const auto& [rule, count] : end.redactions) {
    summary.redactions += count;
  }
  summary.stored_bytes +=
      row.result_json->size() + (row.decision_json ? row.decision_json->size() : 0) + stored_bytes_of(ended.contents);
  Digest digest = started.digest;
  add_end(digest, row, rows_of(ended.contents));
  const bool is_refused = end.result.outcome == contract::Outcome::rejected;
  ended.event = run_event(is_refused ? audit_kind::kRunRefused : audit_kind::kRunFinished, row, digest.hex());
  return ended;
}

Status RunJournal::commit(Started& started, RunEnd end) {
  Ended ended = TRY(prepare(started, std::move(end)));
  if (started.posted && queue_.withdraw(*started.posted)) {
    started.posted.reset();
  }
  return queue_.commit([&](Transaction& transaction) { return save(transaction, started, ended); });
}

Status RunJournal::save(Transaction& transaction, Started& started) const {
  started.saved_number = TRY(insert_run(transaction.database, started.row));
  return save_contents(transaction.database, contents_, started.saved_number, started.contents);
}

Status RunJournal::save(Transaction& transaction, Started& started, Ended& ended) const {
  Database& writer = transaction.database;
  RunRow& row = ended.row;
  row.audit_seq = TRY(transaction.audit.append(ended.event));
  if (started.posted && started.posted->committed()) {
    row.number = started.saved_number;
    TRY_STATUS(end_run(writer, row));
  } else {
    row.number = TRY(insert_run(writer, row));
    TRY_STATUS(save_contents(writer, contents_, row.number, started.contents));
  }
  TRY_STATUS(save_contents(writer, contents_, row.number, ended.contents));
  TRY_STATUS(count_run(writer, row.summary, ended.bytes));
  return settle_claim_of(writer, row, "finished");
}

Result<std::uint64_t> RunJournal::mark_interrupted(std::int64_t now_ms) {
  std::uint64_t total = 0;
  std::uint64_t step = 0;
  do {
    step = TRY(queue_.commit_value([&](Transaction& transaction) { return interrupt_some(transaction, now_ms); }));
    total += step;
  } while (step == kInterruptedPerStep);
  return total;
}

}  // namespace glovebox::records

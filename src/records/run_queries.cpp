// Reading rows of `runs`: one by its id, or a page of them.
#include <algorithm>
#include <charconv>

#include "records/run_rows.h"
#include "records/store.h"

namespace glovebox::records {
namespace {

using base::ErrorCode;
using base::fail;
using base::Result;

// What a RunSummary needs, in the order of read_summary.
constexpr std::string_view kSummaryColumns =
    "runs.number, run_id, tenant, key_id, task_id, replay_of, language, state, outcome, success, cached, created_ms, "
    "finished_ms, wall_ms, cpu_ms, redactions, stored_bytes, error_code";
constexpr int kSummaryCount = 18;

RunSummary read_summary(const Statement& row) {
  RunSummary summary;
  summary.run_id = row.text(1);
  summary.tenant = row.text(2);
  summary.key_id = row.text(3);
  summary.task_id = row.text(4);
  summary.replay_of = row.text(5);
  summary.language = row.text(6);
  summary.state = parse_run_state(row.view(7)).value_or(RunState::running);
  summary.outcome = contract::parse_outcome(row.view(8));
  summary.success = row.flag(9);
  summary.cached = row.flag(10);
  summary.created_ms = row.integer(11);
  summary.finished_ms = row.integer(12);
  summary.wall_ms = row.real(13);
  summary.cpu_ms = row.real(14);
  summary.redactions = row.count(15);
  summary.stored_bytes = row.count(16);
  summary.error_code = row.text(17);
  return summary;
}

// Where a page ended: runs that are older than this one follow.
struct Cursor {
  std::int64_t created_ms = 0;
  std::int64_t number = 0;
};

std::string write_cursor(const Cursor& cursor) {
  return std::to_string(cursor.created_ms) + "-" + std::to_string(cursor.number);
}

Result<Cursor> read_cursor(std::string_view text) {
  Cursor cursor;
  const char* end = text.data() + text.size();
  const auto time = std::from_chars(text.data(), end, cursor.created_ms);
  if (time.ec == std::errc() && time.ptr != end && *time.ptr == '-') {
    const auto number = std::from_chars(time.ptr + 1, end, cursor.number);
    if (number.ec == std::errc() && number.ptr == end && cursor.created_ms >= 0 && cursor.number >= 0) {
      return cursor;
    }
  }
  return fail(base::make_error(ErrorCode::invalid_request, "not a cursor of a list of runs").with_field("cursor"));
}

}  // namespace

Result<std::optional<RunRow>> find_row(Database& reader, std::string_view run_id) {
  static const std::string sql = "SELECT " + std::string(kSummaryColumns) +
                                 ", cacheable, idempotency_key, request_sha256, cache_key, traceparent, served, "
                                 "audit_seq, request_json, result_json, decision_json, redactions_json FROM runs "
                                 "LEFT JOIN run_texts USING (number) "
                                 "WHERE run_id = ?1";
  Statement statement = TRY(reader.prepare(sql.c_str()));
  statement.bind(run_id);
  if (!TRY(statement.step())) {
    return std::nullopt;
  }
  RunRow row;
  row.number = statement.integer(0);
  row.summary = read_summary(statement);
  int column = kSummaryCount;
  row.cacheable = statement.flag(column++);
  row.idempotency_key = statement.optional_text(column++);
  row.request_sha256 = statement.text(column++);
  row.cache_key = statement.text(column++);
  row.traceparent = statement.text(column++);
  row.served = statement.flag(column++);
  row.audit_seq = statement.count(column++);
  row.request_json = statement.text(column++);
  row.result_json = statement.optional_text(column++);
  row.decision_json = statement.optional_text(column++);
  row.redactions_json = statement.text(column++);
  return row;
}

Result<RunPage> list_rows(Database& reader, const RunFilter& filter, std::string_view cursor, std::size_t limit) {
  limit = std::clamp<std::size_t>(limit, 1, kMaxPageRuns);
  std::optional<Cursor> after;
  if (!cursor.empty()) {
    after = TRY(read_cursor(cursor));
  }
  // Every condition is a fixed text; values come through ?.
  std::string sql = "SELECT " + std::string(kSummaryColumns) + " FROM runs WHERE 1";
  const auto add = [&sql](bool given, std::string_view condition) {
    if (given) {
      sql += " AND ";
      sql += condition;
    }
  };
  add(filter.tenant.has_value(), "tenant = ?1");
  add(filter.language.has_value(), "language = ?2");
  add(filter.task_id.has_value(), "task_id = ?3");
  add(filter.task_id.has_value() && !filter.task_id->empty(), "task_id <> ''");  // what its index is for
  add(filter.since_ms.has_value(), "created_ms >= ?4");
  add(filter.until_ms.has_value(), "created_ms < ?5");
  add(after.has_value(), "(created_ms, runs.number) < (?6, ?7)");
  if (filter.outcome) {
    add(true, "outcome = '" + std::string(contract::to_string(*filter.outcome)) + "'");
  }
  if (filter.state) {
    add(true, "state = '" + std::string(to_string(*filter.state)) + "'");
  }
  sql += " ORDER BY created_ms DESC, runs.number DESC LIMIT ?8";

  Statement statement = TRY(reader.prepare_once(sql));
  const auto bind = [&statement](int index, const auto& value) {
    if (value) {
      statement.bind_one(index, *value);
    }
  };
  bind(1, filter.tenant);
  bind(2, filter.language);
  bind(3, filter.task_id);
  bind(4, filter.since_ms);
  bind(5, filter.until_ms);
  if (after) {
    statement.bind_one(6, after->created_ms);
    statement.bind_one(7, after->number);
  }
  statement.bind_one(8, limit + 1);  // one more tells whether there is more

  RunPage page;
  Cursor last;
  while (TRY(statement.step())) {
    if (page.runs.size() == limit) {
      page.next_cursor = write_cursor(last);
      break;
    }
    page.runs.push_back(read_summary(statement));
    last.created_ms = page.runs.back().created_ms;
    last.number = statement.integer(0);
  }
  return page;
}

}  // namespace glovebox::records

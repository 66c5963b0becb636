#include "records/run_rows.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "contract/json_parse.h"
#include "contract/json_reader.h"
#include "contract/json_writer.h"

namespace glovebox::records {
namespace {

using base::ErrorCode;
using base::fail;
using base::Result;
using base::Status;

constexpr std::array<std::string_view, 4> kRunStates = {"running", "finished", "interrupted", "waiting"};
static_assert(static_cast<std::size_t>(RunState::waiting) + 1 == kRunStates.size());

void add_contents(Digest& digest, std::vector<ContentRow>& contents) {
  std::sort(contents.begin(), contents.end(), [](const ContentRow& left, const ContentRow& right) {
    return std::tie(left.ref.role, left.position) < std::tie(right.ref.role, right.position);
  });
  digest.add(contents.size());
  for (const ContentRow& content : contents) {
    digest.add(content.ref.role).add(content.position).add(content.ref.path).add(content.media_type);
    digest.add(content.ref.sha256).add(content.ref.bytes);
  }
}

std::string_view outcome_text(const RunRow& row) {
  return row.summary.outcome ? contract::to_string(*row.summary.outcome) : std::string_view();
}

}  // namespace

std::string_view to_string(RunState state) { return kRunStates.at(static_cast<std::size_t>(state)); }

std::optional<RunState> parse_run_state(std::string_view name) {
  const auto found = std::find(kRunStates.begin(), kRunStates.end(), name);
  return found == kRunStates.end() ? std::nullopt : std::optional(static_cast<RunState>(found - kRunStates.begin()));
}

std::string write_redactions(const std::map<std::string, std::uint32_t>& redactions) {
  contract::JsonWriter json;
  json.begin_object();
  for (const auto& [rule, count] : redactions) {
    json.integer(rule, count);
  }
  json.end_object();
  return json.take(contract::JsonStyle::compact);
}

Result<std::map<std::string, std::uint32_t>> read_redactions(std::string_view text) {
  constexpr std::size_t kMostRules = 10'000;
  contract::JsonValue document = TRY(contract::parse_json(text, {}));
  std::map<std::string, std::uint32_t> redactions;
  for (const auto& [rule, count] : TRY(contract::JsonNode(document, "redactions").entries(kMostRules))) {
    redactions[rule] = static_cast<std::uint32_t>(TRY(count.integer(0, UINT32_MAX)));
  }
  return redactions;
}

void add_start(Digest& digest, const RunRow& row, std::vector<ContentRow> contents) {
  const RunSummary& summary = row.summary;
  digest.add("glovebox run 1").add(summary.run_id).add(summary.tenant).add(summary.key_id).add(summary.task_id);
  digest.add(summary.replay_of).add(summary.language).add(summary.created_ms).add_optional(row.idempotency_key);
  digest.add(row.request_sha256).add(row.cache_key).add(row.traceparent).add(row.request_json);
  add_contents(digest, contents);
}

void add_end(Digest& digest, const RunRow& row, std::vector<ContentRow> contents) {
  const RunSummary& summary = row.summary;
  digest.add(to_string(summary.state)).add(outcome_text(row)).add(summary.success).add(summary.cached);
  digest.add(row.cacheable).add(summary.finished_ms).add(summary.wall_ms).add(summary.cpu_ms).add(summary.redactions);
  digest.add_optional(row.result_json).add_optional(row.decision_json).add(row.redactions_json).add(summary.error_code);
  add_contents(digest, contents);
}

std::vector<ContentRow> rows_of(const std::vector<Content>& contents) {
  std::vector<ContentRow> rows;
  rows.reserve(contents.size());
  for (const Content& content : contents) {
    rows.push_back({content.ref, content.position, content.media_type, std::nullopt, {}});
  }
  return rows;
}

bool belongs_to_request(const ContentRow& content) {
  return content.ref.role == "code" || content.ref.role == "stdin" || content.ref.role == "file";
}

std::string record_sha256(const RunRow& row, const std::vector<ContentRow>& contents) {
  std::vector<ContentRow> start;
  std::vector<ContentRow> end;
  for (const ContentRow& content : contents) {
    (belongs_to_request(content) ? start : end).push_back(content);
  }
  Digest digest;
  add_start(digest, row, std::move(start));
  add_end(digest, row, std::move(end));
  return digest.hex();
}

Result<std::int64_t> insert_run(Database& writer, const RunRow& row) {
  const RunSummary& summary = row.summary;
  {
    Statement insert = TRY(writer.prepare(
        "INSERT INTO runs (run_id, tenant, key_id, task_id, replay_of, language, state, outcome, success, cached, "
        "cacheable, created_ms, finished_ms, wall_ms, cpu_ms, redactions, stored_bytes, idempotency_key, "
        "request_sha256, cache_key, traceparent, served, audit_seq, error_code) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, "
        "?8, ?9, ?10, "
        "?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24)"));
    insert.bind(summary.run_id, summary.tenant, summary.key_id, summary.task_id, summary.replay_of, summary.language,
                to_string(summary.state), summary.outcome ? std::optional(outcome_text(row)) : std::nullopt,
                summary.success, summary.cached, row.cacheable, summary.created_ms, summary.finished_ms,
                summary.wall_ms, summary.cpu_ms, summary.redactions, summary.stored_bytes, row.idempotency_key,
                row.request_sha256, row.cache_key, row.traceparent, row.served, row.audit_seq, summary.error_code);
    TRY_STATUS(insert.run());
  }
  const std::int64_t number = writer.last_insert_id();
  Statement insert =
      TRY(writer.prepare("INSERT INTO run_texts (number, request_json, result_json, decision_json, redactions_json) "
                         "VALUES (?1, ?2, ?3, ?4, ?5)"));
  insert.bind(number, row.request_json, row.result_json, row.decision_json, row.redactions_json);
  TRY_STATUS(insert.run());
  return number;
}

Status end_run(Database& writer, const RunRow& row) {
  const RunSummary& summary = row.summary;
  Statement update = TRY(writer.prepare(
      "UPDATE runs SET state = ?2, outcome = ?3, success = ?4, cached = ?5, cacheable = ?6, finished_ms = ?7, "
      "wall_ms = ?8, cpu_ms = ?9, redactions = ?10, stored_bytes = ?11, audit_seq = ?12, error_code = ?13 "
      "WHERE number = ?1 AND state = 'running'"));
  update.bind(row.number, to_string(summary.state), summary.outcome ? std::optional(outcome_text(row)) : std::nullopt,
              summary.success, summary.cached, row.cacheable, summary.finished_ms, summary.wall_ms, summary.cpu_ms,
              summary.redactions, summary.stored_bytes, row.audit_seq, summary.error_code);
  TRY_STATUS(update.run());
  if (writer.changes() != 1) {
    return fail(ErrorCode::internal_error, "the run " + summary.run_id + " is not running");
  }
  Statement texts = TRY(writer.prepare(
      "UPDATE run_texts SET result_json = ?2, decision_json = ?3, redactions_json = ?4 WHERE number = ?1"));
  texts.bind(row.number, row.result_json, row.decision_json, row.redactions_json);
  return texts.run();
}

Status save_contents(Database& writer, const Contents& store, std::int64_t number, std::vector<Content>& contents) {
  for (Content& content : contents) {
    TRY_STATUS(store.save(writer, number, content));
  }
  return {};
}

Result<std::vector<ContentRow>> contents_of(Database& reader, std::int64_t number) {
  Statement statement = TRY(reader.prepare(
      "SELECT role, position, path, media_type, content_id, coalesce(contents.sha256, run_contents.sha256), "
      "coalesce(contents.bytes, length(run_contents.data)), run_contents.data FROM run_contents "
      "LEFT JOIN contents USING (content_id) WHERE number = ?1 ORDER BY role, position"));
  statement.bind(number);
  std::vector<ContentRow> rows;
  while (TRY(statement.step())) {
    ContentRow row;
    row.ref.role = statement.text(0);
    row.position = static_cast<std::uint32_t>(statement.count(1));
    row.ref.path = statement.text(2);
    row.media_type = statement.text(3);
    row.content_id = statement.optional_integer(4);
    row.ref.sha256 = statement.text(5);
    row.ref.bytes = statement.count(6);
    row.data = statement.text(7);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace glovebox::records

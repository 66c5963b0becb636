#include "records/record_json.h"

#include "base/timestamp.h"
#include "contract/json_writer.h"
#include "contract/run_request_codec.h"
#include "contract/run_result_codec.h"

namespace glovebox::records {
namespace {

using contract::JsonStyle;
using contract::JsonWriter;

void text(JsonWriter& json, std::string_view name, std::string_view value) {
  json.key(name);
  json.string(value);
}

void text_or_null(JsonWriter& json, std::string_view name, std::string_view value) {
  json.key(name);
  json.string_or_null(value);
}

void count(JsonWriter& json, std::string_view name, std::uint64_t value) {
  json.key(name);
  json.integer(value);
}

void milliseconds(JsonWriter& json, std::string_view name, double value) {
  json.key(name);
  json.milliseconds(value);
}

void time_or_null(JsonWriter& json, std::string_view name, std::int64_t unix_ms) {
  text_or_null(json, name, unix_ms == 0 ? "" : base::format_timestamp_ms(unix_ms));
}

void write_summary(JsonWriter& json, const RunSummary& run, Tenants tenants) {
  const bool ended = run.outcome.has_value();
  json.begin_object();
  text(json, "run_id", run.run_id);
  if (tenants == Tenants::several) {
    text(json, "tenant", run.tenant);
  }
  text(json, "state", to_string(run.state));
  text(json, "created", base::format_timestamp_ms(run.created_ms));
  time_or_null(json, "finished", run.finished_ms);
  text_or_null(json, "task", run.task_id);
  text(json, "language", run.language);
  text_or_null(json, "outcome", ended ? contract::to_string(*run.outcome) : "");
  json.key("success");
  ended ? json.boolean(run.success) : json.null();
  text_or_null(json, "error_code", run.error_code);
  json.key("wall_ms");
  ended ? json.milliseconds(run.wall_ms) : json.null();
  json.key("cached");
  json.boolean(run.cached);
  text_or_null(json, "replay_of", run.replay_of);
  json.end_object();
}

void write_quota(JsonWriter& json, std::string_view name, std::uint64_t limit, std::uint64_t used) {
  json.key(name);
  json.begin_object();
  json.key("limit");
  limit == 0 ? json.null() : json.integer(limit);
  count(json, "used", used);
  json.end_object();
}

}  // namespace

std::string to_json(const RunPage& page, Tenants tenants) {
  JsonWriter json;
  json.begin_object();
  json.key("runs");
  json.begin_array();
  for (const RunSummary& run : page.runs) {
    write_summary(json, run, tenants);
  }
  json.end_array();
  text_or_null(json, "next_cursor", page.next_cursor);
  json.end_object();
  return json.take(JsonStyle::compact);
}

std::string to_json(const RunRecord& record) {
  JsonWriter json;
  json.begin_object();
  text(json, "run_id", record.summary.run_id);
  text(json, "tenant", record.summary.tenant);
  text(json, "state", to_string(record.summary.state));
  text(json, "created", base::format_timestamp_ms(record.summary.created_ms));
  time_or_null(json, "finished", record.summary.finished_ms);
  text_or_null(json, "task", record.summary.task_id);
  json.key("request");
  json.free_form(contract::to_json(record.request));
  json.key("result");
  if (record.result) {
    json.free_form(contract::to_json(*record.result));
  } else {
    json.null();
  }
  json.key("decision");
  if (record.decision_json) {
    json.free_form(*record.decision_json);
  } else {
    json.null();
  }
  json.key("redactions");
  json.begin_object();
  for (const auto& [rule, found] : record.redactions) {
    count(json, rule, found);
  }
  json.end_object();
  text_or_null(json, "replay_of", record.summary.replay_of);
  text_or_null(json, "approval_id", record.approval_id);
  json.end_object();
  return json.take(JsonStyle::compact);
}

std::string to_json(const std::string& tenant, const std::vector<UsageBucket>& buckets, const QuotaUse& use) {
  JsonWriter json;
  json.begin_object();
  text(json, "tenant", tenant);
  json.key("buckets");
  json.begin_array();
  for (const UsageBucket& bucket : buckets) {
    json.begin_object();
    text(json, "start", base::format_timestamp_ms(bucket.start_ms));
    count(json, "runs", bucket.runs);
    count(json, "failed", bucket.failed);
    count(json, "cached", bucket.cached);
    milliseconds(json, "wall_ms", bucket.wall_ms);
    milliseconds(json, "cpu_ms", bucket.cpu_ms);
    count(json, "output_bytes", bucket.output_bytes);
    count(json, "artifact_bytes", bucket.artifact_bytes);
    json.end_object();
  }
  json.end_array();
  count(json, "stored_bytes", use.stored_bytes);
  json.key("quota");
  json.begin_object();
  write_quota(json, "concurrency", use.quota.concurrency, use.running);
  write_quota(json, "runs_per_minute", use.quota.runs_per_minute, use.runs_this_minute);
  write_quota(json, "cpu_ms_per_hour", use.quota.cpu_ms_per_hour, use.cpu_ms_this_hour);
  write_quota(json, "storage_bytes", use.quota.storage_bytes, use.stored_bytes);
  json.end_object();
  json.end_object();
  return json.take(JsonStyle::compact);
}

namespace {

void write_approval(JsonWriter& json, const Approval& approval) {
  json.begin_object();
  text(json, "id", approval.id);
  text(json, "state", to_string(approval.state));
  text(json, "tenant", approval.tenant);
  text(json, "run_id", approval.run_id);
  text_or_null(json, "asked_by", approval.asked_by);
  text(json, "request_sha256", approval.request_sha256);
  text(json, "policy", approval.policy);
  text(json, "created", base::format_timestamp_ms(approval.created_ms));
  text(json, "expires", base::format_timestamp_ms(approval.expires_ms));
  time_or_null(json, "answered", approval.answered_ms);
  text_or_null(json, "answered_by", approval.answered_by);
  text_or_null(json, "note", approval.note);
  text_or_null(json, "used_by", approval.used_by);
  json.key("detail");
  json.free_form(approval.detail_json);
  json.end_object();
}

}  // namespace

std::string to_json(const Approval& approval) {
  JsonWriter json;
  write_approval(json, approval);
  return json.take(JsonStyle::compact);
}

std::string to_json(const ApprovalPage& page) {
  JsonWriter json;
  json.begin_object();
  json.key("approvals");
  json.begin_array();
  for (const Approval& approval : page.approvals) {
    write_approval(json, approval);
  }
  json.end_array();
  text_or_null(json, "next_cursor", page.next_cursor);
  json.end_object();
  return json.take(JsonStyle::compact);
}

std::string to_json(const std::optional<Stopped>& stopped) {
  JsonWriter json;
  json.begin_object();
  json.key("stopped");
  json.boolean(stopped.has_value());
  text_or_null(json, "reason", stopped ? stopped->reason : "");
  text_or_null(json, "since", stopped ? base::format_timestamp_ms(stopped->since_ms) : "");
  text_or_null(json, "by", stopped ? stopped->by : "");
  json.end_object();
  return json.take(JsonStyle::compact);
}

}  // namespace glovebox::records

#include "records/record_json.h"

#include "base/timestamp.h"
#include "contract/json_writer.h"
#include "contract/run_request_codec.h"
#include "contract/run_result_codec.h"

namespace glovebox::records {
namespace {

using contract::JsonStyle;
using contract::JsonWriter;

void time_or_null(JsonWriter& json, std::string_view name, std::int64_t unix_ms) {
  json.string_or_null(name, unix_ms == 0 ? "" : base::format_timestamp_ms(unix_ms));
}

void write_summary(JsonWriter& json, const RunSummary& run, Tenants tenants) {
  const bool ended = run.outcome.has_value();
  json.begin_object();
  json.string("run_id", run.run_id);
  if (tenants == Tenants::several) {
    json.string("tenant", run.tenant);
  }
  json.string("state", to_string(run.state));
  json.string("created", base::format_timestamp_ms(run.created_ms));
  time_or_null(json, "finished", run.finished_ms);
  json.string_or_null("task", run.task_id);
  json.string("language", run.language);
  json.string_or_null("outcome", ended ? contract::to_string(*run.outcome) : "");
  json.key("success");
  ended ? json.boolean(run.success) : json.null();
  json.string_or_null("error_code", run.error_code);
  json.key("wall_ms");
  ended ? json.milliseconds(run.wall_ms) : json.null();
  json.boolean("cached", run.cached);
  json.string_or_null("replay_of", run.replay_of);
  json.end_object();
}

void write_quota(JsonWriter& json, std::string_view name, std::uint64_t limit, std::uint64_t used) {
  json.key(name);
  json.begin_object();
  json.key("limit");
  limit == 0 ? json.null() : json.integer(limit);
  json.integer("used", used);
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
  json.string_or_null("next_cursor", page.next_cursor);
  json.end_object();
  return json.take(JsonStyle::compact);
}

std::string to_json(const RunRecord& record) {
  JsonWriter json;
  json.begin_object();
  json.string("run_id", record.summary.run_id);
  json.string("tenant", record.summary.tenant);
  json.string("state", to_string(record.summary.state));
  json.string("created", base::format_timestamp_ms(record.summary.created_ms));
  time_or_null(json, "finished", record.summary.finished_ms);
  json.string_or_null("task", record.summary.task_id);
  json.free_form("request", contract::to_json(record.request));
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
    json.integer(rule, found);
  }
  json.end_object();
  json.string_or_null("replay_of", record.summary.replay_of);
  json.string_or_null("approval_id", record.approval_id);
  json.end_object();
  return json.take(JsonStyle::compact);
}

std::string to_json(const std::string& tenant, const std::vector<UsageBucket>& buckets, const QuotaUse& use) {
  JsonWriter json;
  json.begin_object();
  json.string("tenant", tenant);
  json.key("buckets");
  json.begin_array();
  for (const UsageBucket& bucket : buckets) {
    json.begin_object();
    json.string("start", base::format_timestamp_ms(bucket.start_ms));
    json.integer("runs", bucket.runs);
    json.integer("failed", bucket.failed);
    json.integer("cached", bucket.cached);
    json.milliseconds("wall_ms", bucket.wall_ms);
    json.milliseconds("cpu_ms", bucket.cpu_ms);
    json.integer("output_bytes", bucket.output_bytes);
    json.integer("artifact_bytes", bucket.artifact_bytes);
    json.end_object();
  }
  json.end_array();
  json.integer("stored_bytes", use.stored_bytes);
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
  json.string("id", approval.id);
  json.string("state", to_string(approval.state));
  json.string("tenant", approval.tenant);
  json.string("run_id", approval.run_id);
  json.string_or_null("asked_by", approval.asked_by);
  json.string("request_sha256", approval.request_sha256);
  json.string("policy", approval.policy);
  json.string("created", base::format_timestamp_ms(approval.created_ms));
  json.string("expires", base::format_timestamp_ms(approval.expires_ms));
  time_or_null(json, "answered", approval.answered_ms);
  json.string_or_null("answered_by", approval.answered_by);
  json.string_or_null("note", approval.note);
  json.string_or_null("used_by", approval.used_by);
  json.free_form("detail", approval.detail_json);
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
  json.string_or_null("next_cursor", page.next_cursor);
  json.end_object();
  return json.take(JsonStyle::compact);
}

std::string to_json(const std::optional<Stopped>& stopped) {
  JsonWriter json;
  json.begin_object();
  json.boolean("stopped", stopped.has_value());
  json.string_or_null("reason", stopped ? stopped->reason : "");
  json.string_or_null("since", stopped ? base::format_timestamp_ms(stopped->since_ms) : "");
  json.string_or_null("by", stopped ? stopped->by : "");
  json.end_object();
  return json.take(JsonStyle::compact);
}

}  // namespace glovebox::records

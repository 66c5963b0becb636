// The writing half of run_result_codec.h; the order of the fields here is the order people read them in.
#include "contract/json_writer.h"
#include "contract/run_result_codec.h"

namespace glovebox::contract {
namespace {

void write_position(JsonWriter& json, std::string_view name, std::optional<std::uint32_t> position) {
  json.key(name);
  if (position) {
    json.integer(*position);
  } else {
    json.null();
  }
}

template <typename T>
void write_list(JsonWriter& json, std::string_view name, const std::vector<T>& list,
                void (*write)(JsonWriter&, const T&)) {
  json.key(name);
  json.begin_array();
  for (const T& element : list) {
    json.begin_object();
    write(json, element);
    json.end_object();
  }
  json.end_array();
}

void write_error(JsonWriter& json, const RunError& error) {
  json.begin_object();
  json.string("code", base::to_string(error.code));
  json.string_or_null("type", error.type);
  json.string("message", error.message);
  write_position(json, "line", error.line);
  write_position(json, "column", error.column);
  json.string_or_null("traceback", error.traceback);
  json.string_or_null("hint", error.hint);
  json.end_object();
}

void write_artifact(JsonWriter& json, const Artifact& artifact) {
  json.string("path", artifact.path);
  json.integer("bytes", artifact.bytes);
  json.string("sha256", artifact.sha256);
  json.string("media_type", artifact.media_type);
}

void write_rich_result(JsonWriter& json, const RichResult& result) {
  json.string("kind", result.kind);
  json.string("media_type", result.media_type);
  json.free_form("value", result.json);
}

void write_metrics(JsonWriter& json, const Metrics& metrics) {
  json.begin_object();
  json.milliseconds("wall_ms", metrics.wall_ms);
  json.milliseconds("cpu_ms", metrics.cpu_ms);
  json.integer("peak_memory_bytes", metrics.peak_memory_bytes);
  json.integer("peak_processes", metrics.peak_processes);
  json.milliseconds("queue_ms", metrics.queue_ms);
  json.milliseconds("setup_ms", metrics.setup_ms);
  json.key("stages");
  json.begin_object();
  for (const auto& [name, duration] : metrics.stages) {
    json.milliseconds(name, duration);
  }
  json.end_object();
  json.end_object();
}

void write_denial(JsonWriter& json, const Denial& denial) {
  json.string("what", denial.what);
  json.string("target", denial.target);
  json.string("layer", denial.layer);
  json.string("grant", denial.grant);
  json.integer("count", denial.count);
}

void write_provenance(JsonWriter& json, const Provenance& provenance) {
  json.begin_object();
  json.string("code_sha256", provenance.code_sha256);
  json.string("inputs_sha256", provenance.inputs_sha256);
  json.string("image_digest", provenance.image_digest);
  json.string("policy", provenance.policy);
  json.string("isolation", provenance.isolation);
  json.strings("enforced", provenance.enforced);
  json.boolean("warm", provenance.warm);
  json.end_object();
}

void write_check(JsonWriter& json, const ValidationCheck& check) {
  json.string("name", check.name);
  json.boolean("passed", check.passed);
  json.string("message", check.message);
}

void write_attempt(JsonWriter& json, const Attempt& attempt) {
  json.string("path", attempt.path);
  json.string("outcome", attempt.outcome);
  json.string_or_null("reason", attempt.reason);
}

}  // namespace

std::string to_json(const RunError& error) {
  JsonWriter json;
  write_error(json, error);
  return json.take(JsonStyle::compact);
}

std::string to_json(const RunResult& result, JsonStyle style) {
  JsonWriter json;
  json.begin_object();
  json.string("run_id", result.run_id);
  json.string("outcome", to_string(result.outcome));
  json.boolean("success", result.success);
  json.string("stdout", result.standard_output);
  json.string("stderr", result.standard_error);
  json.integer("stdout_bytes", result.stdout_bytes);
  json.integer("stderr_bytes", result.stderr_bytes);
  json.boolean("stdout_truncated", result.stdout_truncated);
  json.boolean("stderr_truncated", result.stderr_truncated);
  json.key("exit_code");
  if (result.exit_code) {
    json.signed_integer(*result.exit_code);
  } else {
    json.null();
  }
  json.key("signal");
  if (result.signal) {
    json.string(*result.signal);
  } else {
    json.null();
  }
  json.key("error");
  if (result.error) {
    write_error(json, *result.error);
  } else {
    json.null();
  }
  write_list(json, "artifacts", result.artifacts, write_artifact);
  write_list(json, "results", result.results, write_rich_result);
  json.key("metrics");
  write_metrics(json, result.metrics);
  json.key("validation");
  json.begin_object();
  json.string("status", result.validation.status);
  json.strings("failures", result.validation.failures);
  write_list(json, "checks", result.validation.checks, write_check);
  json.end_object();
  write_list(json, "denials", result.denials, write_denial);
  json.key("provenance");
  write_provenance(json, result.provenance);
  write_list(json, "attempts", result.attempts, write_attempt);
  json.boolean("cached", result.cached);
  json.end_object();
  return json.take(style);
}

}  // namespace glovebox::contract

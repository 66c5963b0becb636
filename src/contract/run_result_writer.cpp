// The writing half of run_result_codec.h; the order of the fields here is the order people read them in.
#include "contract/json_writer.h"
#include "contract/run_result_codec.h"

namespace glovebox::contract {
namespace {

void write_text(JsonWriter& json, std::string_view name, std::string_view value) {
  json.key(name);
  json.string(value);
}

void write_text_or_null(JsonWriter& json, std::string_view name, std::string_view value) {
  json.key(name);
  json.string_or_null(value);
}

void write_count(JsonWriter& json, std::string_view name, std::uint64_t value) {
  json.key(name);
  json.integer(value);
}

void write_flag(JsonWriter& json, std::string_view name, bool value) {
  json.key(name);
  json.boolean(value);
}

void write_milliseconds(JsonWriter& json, std::string_view name, double value) {
  json.key(name);
  json.milliseconds(value);
}

void write_texts(JsonWriter& json, std::string_view name, const std::vector<std::string>& texts) {
  json.key(name);
  json.begin_array();
  for (const std::string& text : texts) {
    json.string(text);
  }
  json.end_array();
}

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
  write_text(json, "code", base::to_string(error.code));
  write_text_or_null(json, "type", error.type);
  write_text(json, "message", error.message);
  write_position(json, "line", error.line);
  write_position(json, "column", error.column);
  write_text_or_null(json, "traceback", error.traceback);
  write_text_or_null(json, "hint", error.hint);
  json.end_object();
}

void write_artifact(JsonWriter& json, const Artifact& artifact) {
  write_text(json, "path", artifact.path);
  write_count(json, "bytes", artifact.bytes);
  write_text(json, "sha256", artifact.sha256);
  write_text(json, "media_type", artifact.media_type);
}

void write_rich_result(JsonWriter& json, const RichResult& result) {
  write_text(json, "kind", result.kind);
  write_text(json, "media_type", result.media_type);
  json.key("value");
  json.free_form(result.json);
}

void write_metrics(JsonWriter& json, const Metrics& metrics) {
  json.begin_object();
  write_milliseconds(json, "wall_ms", metrics.wall_ms);
  write_milliseconds(json, "cpu_ms", metrics.cpu_ms);
  write_count(json, "peak_memory_bytes", metrics.peak_memory_bytes);
  write_count(json, "peak_processes", metrics.peak_processes);
  write_milliseconds(json, "queue_ms", metrics.queue_ms);
  write_milliseconds(json, "setup_ms", metrics.setup_ms);
  json.key("stages");
  json.begin_object();
  for (const auto& [name, duration] : metrics.stages) {
    write_milliseconds(json, name, duration);
  }
  json.end_object();
  json.end_object();
}

void write_denial(JsonWriter& json, const Denial& denial) {
  write_text(json, "what", denial.what);
  write_text(json, "target", denial.target);
  write_text(json, "layer", denial.layer);
  write_text(json, "grant", denial.grant);
  write_count(json, "count", denial.count);
}

void write_provenance(JsonWriter& json, const Provenance& provenance) {
  json.begin_object();
  write_text(json, "code_sha256", provenance.code_sha256);
  write_text(json, "inputs_sha256", provenance.inputs_sha256);
  write_text(json, "image_digest", provenance.image_digest);
  write_text(json, "policy", provenance.policy);
  write_text(json, "isolation", provenance.isolation);
  write_texts(json, "enforced", provenance.enforced);
  write_flag(json, "warm", provenance.warm);
  json.end_object();
}

void write_check(JsonWriter& json, const ValidationCheck& check) {
  write_text(json, "name", check.name);
  write_flag(json, "passed", check.passed);
  write_text(json, "message", check.message);
}

void write_attempt(JsonWriter& json, const Attempt& attempt) {
  write_text(json, "path", attempt.path);
  write_text(json, "outcome", attempt.outcome);
  write_text_or_null(json, "reason", attempt.reason);
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
  write_text(json, "run_id", result.run_id);
  write_text(json, "outcome", to_string(result.outcome));
  write_flag(json, "success", result.success);
  write_text(json, "stdout", result.standard_output);
  write_text(json, "stderr", result.standard_error);
  write_count(json, "stdout_bytes", result.stdout_bytes);
  write_count(json, "stderr_bytes", result.stderr_bytes);
  write_flag(json, "stdout_truncated", result.stdout_truncated);
  write_flag(json, "stderr_truncated", result.stderr_truncated);
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
  write_text(json, "status", result.validation.status);
  write_texts(json, "failures", result.validation.failures);
  write_list(json, "checks", result.validation.checks, write_check);
  json.end_object();
  write_list(json, "denials", result.denials, write_denial);
  json.key("provenance");
  write_provenance(json, result.provenance);
  write_list(json, "attempts", result.attempts, write_attempt);
  write_flag(json, "cached", result.cached);
  json.end_object();
  return json.take(style);
}

}  // namespace glovebox::contract

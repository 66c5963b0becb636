#include "contract/run_result_codec.h"

#include <algorithm>
#include <iterator>

#include "contract/error_catalogue.h"
#include "contract/json_reader.h"

namespace glovebox::contract {
namespace {

using base::Result;

constexpr std::size_t kMaxEntries = 65'536;
constexpr std::uint64_t kMaxCount = ~std::uint64_t{0};

constexpr std::string_view kResultFields[] = {
    "run_id",           "outcome",          "success",   "stdout",     "stderr",   "stdout_bytes", "stderr_bytes",
    "stdout_truncated", "stderr_truncated", "exit_code", "signal",     "error",    "artifacts",    "results",
    "metrics",          "validation",       "denials",   "provenance", "attempts", "cached",
};
constexpr std::string_view kErrorFields[] = {"code", "type", "message", "line", "column", "traceback", "hint"};
constexpr std::string_view kArtifactFields[] = {"path", "bytes", "sha256", "media_type"};
constexpr std::string_view kRichResultFields[] = {"kind", "media_type", "value"};
constexpr std::string_view kMetricsFields[] = {"wall_ms",  "cpu_ms", "peak_memory_bytes", "peak_processes", "queue_ms",
                                               "setup_ms", "stages"};
constexpr std::string_view kValidationFields[] = {"status", "failures", "checks"};
constexpr std::string_view kCheckFields[] = {"name", "passed", "message"};
constexpr std::string_view kStatuses[] = {"not_requested", "passed", "failed", "not_run"};
constexpr std::string_view kDenialFields[] = {"what", "target", "layer", "grant", "count"};
constexpr std::string_view kProvenanceFields[] = {"code_sha256", "inputs_sha256", "image_digest", "policy",
                                                  "isolation",   "enforced",      "warm"};
constexpr std::string_view kAttemptFields[] = {"path", "outcome", "reason"};
constexpr std::string_view kFreeFormOfResult[] = {"results[].value"};

Result<std::string> text_of(const JsonObject& object, std::string_view name) {
  const JsonNode node = TRY(object.require(name));
  return node.take_string();
}

Result<std::string> text_or_null_of(const JsonObject& object, std::string_view name) {
  const JsonNode node = TRY(object.require(name));
  return node.take_string_or_null();
}

Result<std::uint64_t> count_of(const JsonObject& object, std::string_view name) {
  const JsonNode node = TRY(object.require(name));
  return node.integer(0, kMaxCount);
}

Result<bool> flag_of(const JsonObject& object, std::string_view name) {
  const JsonNode node = TRY(object.require(name));
  return node.boolean();
}

Result<double> milliseconds_of(const JsonObject& object, std::string_view name) {
  const JsonNode node = TRY(object.require(name));
  return round_ms(TRY(node.non_negative_number()));
}

Result<std::vector<std::string>> texts_of(const JsonObject& object, std::string_view name) {
  const JsonNode node = TRY(object.require(name));
  return node.take_strings(kMaxEntries);
}

Result<std::optional<std::uint32_t>> position_of(const JsonObject& object, std::string_view name) {
  const JsonNode node = TRY(object.require(name));
  if (node.is_null()) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(TRY(node.integer(1, ~std::uint32_t{0})));
}

// Reads every element of an array with the same function.
template <typename T>
Result<std::vector<T>> list_of(const JsonObject& object, std::string_view name, Result<T> (*read)(const JsonNode&)) {
  const JsonNode node = TRY(object.require(name));
  std::vector<T> list;
  for (const JsonNode& element : TRY(node.elements(kMaxEntries))) {
    list.push_back(TRY(read(element)));
  }
  return list;
}

Result<RunError> read_error(const JsonNode& node) {
  const JsonObject object = TRY(node.object(kErrorFields));
  const std::string name = TRY(text_of(object, "code"));
  const auto code = parse_error_code(name);
  if (!code) {
    return base::fail(TRY(object.require("code")).error("not a code of the error catalogue"));
  }
  RunError error;
  error.code = *code;
  error.type = TRY(text_or_null_of(object, "type"));
  error.message = TRY(text_of(object, "message"));
  error.line = TRY(position_of(object, "line"));
  error.column = TRY(position_of(object, "column"));
  error.traceback = TRY(text_or_null_of(object, "traceback"));
  error.hint = TRY(text_or_null_of(object, "hint"));
  return error;
}

Result<Artifact> read_artifact(const JsonNode& node) {
  const JsonObject object = TRY(node.object(kArtifactFields));
  Artifact artifact;
  artifact.path = TRY(text_of(object, "path"));
  artifact.bytes = TRY(count_of(object, "bytes"));
  artifact.sha256 = TRY(text_of(object, "sha256"));
  artifact.media_type = TRY(text_of(object, "media_type"));
  return artifact;
}

Result<RichResult> read_rich_result(const JsonNode& node) {
  const JsonObject object = TRY(node.object(kRichResultFields));
  RichResult result;
  result.kind = TRY(text_of(object, "kind"));
  result.media_type = TRY(text_of(object, "media_type"));
  const JsonNode value = TRY(object.require("value"));
  result.json = TRY(value.take_free_form());
  return result;
}

Result<Metrics> read_metrics(const JsonNode& node) {
  const JsonObject object = TRY(node.object(kMetricsFields));
  Metrics metrics;
  metrics.wall_ms = TRY(milliseconds_of(object, "wall_ms"));
  metrics.cpu_ms = TRY(milliseconds_of(object, "cpu_ms"));
  metrics.peak_memory_bytes = TRY(count_of(object, "peak_memory_bytes"));
  metrics.peak_processes = TRY(count_of(object, "peak_processes"));
  metrics.queue_ms = TRY(milliseconds_of(object, "queue_ms"));
  metrics.setup_ms = TRY(milliseconds_of(object, "setup_ms"));
  const JsonNode stages = TRY(object.require("stages"));
  for (const auto& [name, stage] : TRY(stages.entries(kMaxEntries))) {
    metrics.stages[name] = round_ms(TRY(stage.non_negative_number()));
  }
  return metrics;
}

Result<ValidationCheck> read_check(const JsonNode& node) {
  const JsonObject object = TRY(node.object(kCheckFields));
  ValidationCheck check;
  check.name = TRY(text_of(object, "name"));
  check.passed = TRY(flag_of(object, "passed"));
  check.message = TRY(text_of(object, "message"));
  return check;
}

Result<Validation> read_validation(const JsonNode& node) {
  const JsonObject object = TRY(node.object(kValidationFields));
  Validation validation;
  const JsonNode status = TRY(object.require("status"));
  validation.status = TRY(status.take_string());
  if (std::find(std::begin(kStatuses), std::end(kStatuses), validation.status) == std::end(kStatuses)) {
    return base::fail(status.error("expected one of " + list_names(kStatuses)));
  }
  validation.failures = TRY(texts_of(object, "failures"));
  validation.checks = TRY(list_of(object, "checks", read_check));
  return validation;
}

Result<Denial> read_denial(const JsonNode& node) {
  const JsonObject object = TRY(node.object(kDenialFields));
  Denial denial;
  denial.what = TRY(text_of(object, "what"));
  denial.target = TRY(text_of(object, "target"));
  denial.layer = TRY(text_of(object, "layer"));
  denial.grant = TRY(text_of(object, "grant"));
  denial.count = TRY(count_of(object, "count"));
  return denial;
}

Result<Provenance> read_provenance(const JsonNode& node) {
  const JsonObject object = TRY(node.object(kProvenanceFields));
  Provenance provenance;
  provenance.code_sha256 = TRY(text_of(object, "code_sha256"));
  provenance.inputs_sha256 = TRY(text_of(object, "inputs_sha256"));
  provenance.image_digest = TRY(text_of(object, "image_digest"));
  provenance.policy = TRY(text_of(object, "policy"));
  provenance.isolation = TRY(text_of(object, "isolation"));
  provenance.enforced = TRY(texts_of(object, "enforced"));
  provenance.warm = TRY(flag_of(object, "warm"));
  return provenance;
}

Result<Attempt> read_attempt(const JsonNode& node) {
  const JsonObject object = TRY(node.object(kAttemptFields));
  Attempt attempt;
  attempt.path = TRY(text_of(object, "path"));
  attempt.outcome = TRY(text_of(object, "outcome"));
  if (const auto reason = object.find("reason"); reason) {  // older records have none
    attempt.reason = TRY(reason->take_string_or_null());
  }
  return attempt;
}

}  // namespace

Result<RunResult> parse_run_result(std::string_view json_text, std::size_t max_bytes) {
  JsonOptions options;
  options.free_form = kFreeFormOfResult;
  options.bounds.max_bytes = max_bytes;
  JsonValue root = TRY(parse_json(json_text, options));
  const JsonObject object = TRY(JsonNode(root, "").object(kResultFields));

  RunResult result;
  result.run_id = TRY(text_of(object, "run_id"));
  const JsonNode outcome_node = TRY(object.require("outcome"));
  const auto outcome = parse_outcome(TRY(outcome_node.take_string()));
  if (!outcome) {
    return base::fail(outcome_node.error("not one of the outcomes"));
  }
  result.outcome = *outcome;
  result.success = TRY(flag_of(object, "success"));
  result.standard_output = TRY(text_of(object, "stdout"));
  result.standard_error = TRY(text_of(object, "stderr"));
  result.stdout_bytes = TRY(count_of(object, "stdout_bytes"));
  result.stderr_bytes = TRY(count_of(object, "stderr_bytes"));
  result.stdout_truncated = TRY(flag_of(object, "stdout_truncated"));
  result.stderr_truncated = TRY(flag_of(object, "stderr_truncated"));
  if (const JsonNode node = TRY(object.require("exit_code")); !node.is_null()) {
    result.exit_code = static_cast<int>(TRY(node.integer(0, 255)));
  }
  if (const JsonNode node = TRY(object.require("signal")); !node.is_null()) {
    result.signal = TRY(node.take_string());
  }
  if (const JsonNode node = TRY(object.require("error")); !node.is_null()) {
    result.error = TRY(read_error(node));
  }
  result.artifacts = TRY(list_of(object, "artifacts", read_artifact));
  result.results = TRY(list_of(object, "results", read_rich_result));
  const JsonNode metrics = TRY(object.require("metrics"));
  result.metrics = TRY(read_metrics(metrics));
  const JsonNode validation = TRY(object.require("validation"));
  result.validation = TRY(read_validation(validation));
  result.denials = TRY(list_of(object, "denials", read_denial));
  const JsonNode provenance = TRY(object.require("provenance"));
  result.provenance = TRY(read_provenance(provenance));
  result.attempts = TRY(list_of(object, "attempts", read_attempt));
  result.cached = TRY(flag_of(object, "cached"));
  return result;
}

}  // namespace glovebox::contract

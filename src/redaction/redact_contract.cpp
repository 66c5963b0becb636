// The fields of a request and of a result that can hold a secret.
#include <variant>

#include "redaction/json_text.h"
#include "redaction/redactor.h"
#include "redaction/text_scan.h"

namespace glovebox::redaction {
namespace {

class Fields {
 public:
  explicit Fields(const TextScan& scan) : scan_(scan) {}

  void text(std::string& field) { put(field, scan_.redact(field, counts_)); }
  void json(std::string& field) { put(field, redact_json_text(scan_, field, counts_)); }
  void variable(std::string_view name, std::string& value) { put(value, scan_.redact_variable(name, value, counts_)); }

  // "--password", "hunter2" are two arguments of which the first names the second.
  void arguments(std::vector<std::string>& args) {
    std::string previous;
    for (std::string& arg : args) {
      std::string original = arg;
      if (previous.starts_with('-') && !arg.starts_with('-')) {
        put(arg, scan_.redact_named(previous, arg, counts_));
      } else {
        text(arg);
      }
      previous = std::move(original);
    }
  }

  [[nodiscard]] Counts take() { return std::move(counts_); }

 private:
  static void put(std::string& field, std::optional<std::string> redacted) {
    if (redacted) {
      field = std::move(*redacted);
    }
  }

  const TextScan& scan_;
  Counts counts_;
};

}  // namespace

std::map<std::string, std::uint32_t> Redactor::redact(contract::RunRequest& request) const {
  Fields fields(*scan_);
  fields.text(request.code);
  fields.text(request.standard_input);
  fields.arguments(request.args);
  for (auto& [name, value] : request.env) {
    fields.variable(name, value);
  }
  for (contract::InputFile& file : request.files) {
    if (auto* content = std::get_if<std::string>(&file.content)) {
      fields.text(*content);
    }
  }
  if (request.input_json) {
    fields.json(*request.input_json);
  }
  if (request.expect_json) {
    fields.json(*request.expect_json);
  }
  return fields.take();
}

std::map<std::string, std::uint32_t> Redactor::redact(contract::RunResult& result) const {
  Fields fields(*scan_);
  fields.text(result.standard_output);
  fields.text(result.standard_error);
  if (result.error) {
    fields.text(result.error->type);
    fields.text(result.error->message);
    fields.text(result.error->traceback);
    fields.text(result.error->hint);
  }
  for (contract::Artifact& artifact : result.artifacts) {
    fields.text(artifact.content);
  }
  for (contract::RichResult& rich : result.results) {
    fields.json(rich.json);
  }
  for (contract::Denial& denial : result.denials) {
    fields.text(denial.what);
    fields.text(denial.target);
    fields.text(denial.grant);
  }
  for (std::string& failure : result.validation.failures) {
    fields.text(failure);
  }
  for (contract::ValidationCheck& check : result.validation.checks) {
    fields.text(check.name);
    fields.text(check.message);
  }
  return fields.take();
}

}  // namespace glovebox::redaction

#include "redaction/redactor.h"

#include <fmt/format.h>

#include "redaction/configured_forms.h"
#include "redaction/json_text.h"
#include "redaction/text_scan.h"

namespace glovebox::redaction {
namespace {

constexpr std::size_t kMostValues = 1000;

}  // namespace

base::Result<Redactor> Redactor::create(RedactionRules rules, std::vector<std::string> configured_values) {
  if (configured_values.size() > kMostValues) {
    return base::fail(base::ErrorCode::invalid_request,
                      fmt::format("{} values to redact, at most {} can be", configured_values.size(), kMostValues));
  }
  for (std::size_t index = 0; index < configured_values.size(); ++index) {
    const std::size_t bytes = configured_values[index].size();
    if (bytes < kMinConfiguredBytes || bytes > kMaxConfiguredBytes) {
      // Its place, not the value: errors are logged.
      return base::fail(base::make_error(base::ErrorCode::invalid_request,
                                         fmt::format("value {} to redact has {} bytes; {} to {} can be told from words",
                                                     index + 1, bytes, kMinConfiguredBytes, kMaxConfiguredBytes)));
    }
  }
  return Redactor(std::make_shared<const TextScan>(std::move(rules), configured_values));
}

Redacted Redactor::redact(std::string_view text) const {
  Redacted redacted;
  auto changed = scan_->redact(text, redacted.counts);
  redacted.text = changed ? std::move(*changed) : std::string(text);
  return redacted;
}

Redacted Redactor::redact_json(std::string_view json) const {
  Redacted redacted;
  auto changed = redact_json_text(*scan_, json, redacted.counts);
  redacted.text = changed ? std::move(*changed) : std::string(json);
  return redacted;
}

}  // namespace glovebox::redaction

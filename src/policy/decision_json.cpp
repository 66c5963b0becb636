#include <fmt/format.h>

#include "policy/decision.h"

namespace glovebox::policy {
namespace {

using contract::JsonWriter;

void number_or_null(JsonWriter& json, std::string_view name, const std::optional<Place>& at,
                    std::uint32_t Place::*part) {
  json.key(name);
  at ? json.integer((*at).*part) : json.null();
}

void write(JsonWriter& json, const Finding& finding) {
  json.begin_object();
  json.string("rule", finding.rule);
  json.string("verdict", to_string(finding.verdict));
  json.string("subject", finding.subject);
  json.string_or_null("file", finding.file);
  number_or_null(json, "line", finding.at, &Place::line);
  number_or_null(json, "column", finding.at, &Place::column);
  json.string("reason", finding.reason);
  json.string_or_null("suggestion", finding.suggestion);
  json.string("layer", to_string(finding.layer));
  json.string("profile", finding.profile);
  json.boolean("approved", finding.approved);
  json.end_object();
}

}  // namespace

std::string summary_of(const Decision& decision) {
  const Finding* worst = nullptr;
  std::uint64_t more = decision.left_out;
  for (const Finding& finding : decision.findings) {
    if (finding.verdict == Verdict::allow || finding.approved) {
      continue;
    }
    worst == nullptr ? static_cast<void>(worst = &finding) : static_cast<void>(++more);
  }
  if (worst == nullptr) {
    return "the policy allows it";
  }
  std::string sentence = fmt::format("{} (rule {} of the policy {}", worst->subject, worst->rule, worst->profile);
  if (!worst->file.empty()) {
    sentence += ", in " + worst->file;
  }
  if (worst->at) {
    sentence += fmt::format(", line {}, column {}", worst->at->line, worst->at->column);
  }
  sentence += "): " + worst->reason;
  return more == 0 ? sentence : sentence + fmt::format("; and {} more", more);
}

std::string to_json(const Decision& decision, contract::JsonStyle style) {
  JsonWriter json;
  json.begin_object();
  json.string("decision", to_string(decision.verdict));
  json.string("policy", decision.policy);
  json.key("findings");
  json.begin_array();
  for (const Finding& finding : decision.findings) {
    write(json, finding);
  }
  json.end_array();
  json.integer("findings_left_out", decision.left_out);
  json.key("lowered_limits");
  json.begin_object();
  for (const auto& [name, lowered] : decision.lowered) {
    json.key(name);
    json.begin_object();
    json.integer("asked", lowered.asked);
    json.integer("granted", lowered.granted);
    json.end_object();
  }
  json.end_object();
  json.boolean("read", decision.read);
  json.string_or_null("approved_by", decision.approved_by);
  json.end_object();
  return json.take(style);
}

}  // namespace glovebox::policy

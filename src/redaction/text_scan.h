// One pass over one text: every secret as a span, then the spans as "[redacted:id]".
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "redaction/rule_matcher.h"
#include "redaction/word_finder.h"

namespace glovebox::redaction {

using Counts = std::map<std::string, std::uint32_t>;

class TextScan {
 public:
  // Rules and values must have been checked.
  TextScan(RedactionRules rules, const std::vector<std::string>& configured_values);
  TextScan(const TextScan&) = delete;
  TextScan& operator=(const TextScan&) = delete;

  // A pattern that RE2 refuses.
  [[nodiscard]] base::Status check_patterns() const;
  // The redacted text, or nothing if there was nothing to redact. Stable: once more gives nothing.
  [[nodiscard]] std::optional<std::string> redact(std::string_view text, Counts& counts) const;
  // A value that was given a name outside of any text: an environment variable, a member of a JSON object.
  [[nodiscard]] std::optional<std::string> redact_named(std::string_view name, std::string_view value,
                                                        Counts& counts) const;
  // The same, where the name is all it takes: the value of DB_PASSWORD is a password, whatever it looks like.
  [[nodiscard]] std::optional<std::string> redact_variable(std::string_view name, std::string_view value,
                                                           Counts& counts) const;

 private:
  [[nodiscard]] std::vector<Span> find(std::string_view text) const;
  void find_configured(std::string_view text, std::size_t position, std::uint32_t form, std::vector<Span>& spans) const;
  void find_configured_ends(std::string_view text, std::vector<Span>& spans) const;
  [[nodiscard]] std::vector<Span> find_notices(std::string_view text) const;
  [[nodiscard]] std::optional<std::string> redact_once(std::string_view text, Counts& counts) const;
  [[nodiscard]] std::string_view id_of(std::uint32_t rule) const;

  std::vector<std::unique_ptr<Pattern>> ignores_;
  std::vector<std::unique_ptr<RuleMatcher>> rules_;  // configured values count as the rule after the last
  std::vector<std::string> forms_;
  WordFinder finder_;  // targets: rules, then forms
};

}  // namespace glovebox::redaction

// Redaction before storing (O2): what is kept of a run holds no secrets.
//
// A text is scanned once for the literals that secrets begin with (word_finder.h); only where one stands does that
// rule's pattern run (rule_matcher.h), and what it finds becomes "[redacted:id]". Rules are data (redaction_rules.h);
// values that the operator names are found in the usual encodings too (configured_forms.h). Nothing here does I/O, and
// a Redactor is immutable: any number of threads may use one.
//
// It is a net, not a wall. A program that wants to get a secret past it can: it only has to write it backwards.
// What it catches is what programs let slip, and docs/redaction.md says how much of that.
//
// Redacting twice is redacting once. Valid UTF-8 stays valid, valid JSON stays valid. The text can grow, at most
// eightfold, because a notice is longer than a short password.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "contract/run_request.h"
#include "contract/run_result.h"
#include "redaction/redaction_rules.h"

namespace glovebox::redaction {

class TextScan;

struct Redacted {
  std::string text;
  std::map<std::string, std::uint32_t> counts;  // rule id → how many
};

class Redactor {
 public:
  // Configured values have 6 bytes to 8 KiB each; there are at most 1,000. Patterns are compiled when a text first
  // needs them; RedactionRules from parse_redaction_rules are known to compile.
  [[nodiscard]] static base::Result<Redactor> create(RedactionRules rules, std::vector<std::string> configured_values);

  [[nodiscard]] Redacted redact(std::string_view text) const;
  // JSON text stays JSON: strings are redacted one by one, decoded, with their keys as names.
  [[nodiscard]] Redacted redact_json(std::string_view json) const;

  // Code, stdin, args, values of env, inline files, input and expect.
  std::map<std::string, std::uint32_t> redact(contract::RunRequest& request) const;
  // stdout, stderr, error, denials, validation, rich results, content of artifacts. An artifact's bytes and sha256 stay
  // those of the original, and so do stdout_bytes and stderr_bytes.
  std::map<std::string, std::uint32_t> redact(contract::RunResult& result) const;

 private:
  explicit Redactor(std::shared_ptr<const TextScan> scan) : scan_(std::move(scan)) {}

  std::shared_ptr<const TextScan> scan_;
};

}  // namespace glovebox::redaction

// What a caller gets back (C2). A program that failed is a result like any other; `outcome` says how it ended.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace glovebox::contract {

enum class Outcome {
  ok,
  program_failed,
  timeout,
  cpu_limit,
  memory_limit,
  disk_limit,
  process_limit,
  output_limit,
  denied,
  rejected,
  invalid_output,
  cancelled,
  setup_failed,
  internal_error,
};
inline constexpr int kOutcomeCount = static_cast<int>(Outcome::internal_error) + 1;

// "error": what a model or a person needs to mend the program (X1, X2).
struct RunError {
  base::ErrorCode code = base::ErrorCode::internal_error;
  std::string type;  // the language's own name: ValueError, TypeError, SIGSEGV
  std::string message;
  std::optional<std::uint32_t> line;    // 1-based, in the user's code
  std::optional<std::uint32_t> column;  // 1-based
  std::string traceback;                // trimmed to the user's code
  std::string hint;
  bool operator==(const RunError&) const = default;
};

struct Artifact {
  std::string path;
  std::uint64_t bytes = 0;
  std::string sha256;
  std::string media_type;
  std::string content;  // the bytes; never part of the result's JSON
  bool operator==(const Artifact&) const = default;
};

// A rich output. kind "value": the JSON that solve(input) returned.
struct RichResult {
  std::string kind;
  std::string media_type;
  std::string json;  // the value as JSON text
  bool operator==(const RichResult&) const = default;
};

struct Metrics {
  double wall_ms = 0;
  double cpu_ms = 0;
  std::uint64_t peak_memory_bytes = 0;
  std::uint64_t peak_processes = 0;
  double queue_ms = 0;
  double setup_ms = 0;
  std::map<std::string, double> stages;  // name → milliseconds
  bool operator==(const Metrics&) const = default;
};

// One expectation, looked at.
struct ValidationCheck {
  std::string name;  // expect.invariants[2], or with the name of a test behind it
  bool passed = false;
  std::string message;  // what came and what was expected; of a passed check often empty
  bool operator==(const ValidationCheck&) const = default;
};

struct Validation {
  std::string status = "not_requested";  // passed, failed; not_run: the program failed before
  std::vector<std::string> failures;     // name and message of every check that failed
  std::vector<ValidationCheck> checks;   // in the order of the contract
  // False: a limit or the clock decided, and may not another time. Never part of the result's JSON.
  bool repeatable = true;
  bool operator==(const Validation&) const = default;
};

struct Denial {
  std::string what;    // socket(AF_INET, SOCK_STREAM)
  std::string target;  // why it was refused: "network is off"
  std::string layer;   // seccomp
  std::string grant;   // the one setting that would allow it
  std::uint64_t count = 0;
  bool operator==(const Denial&) const = default;
};

struct Provenance {
  std::string code_sha256;
  std::string inputs_sha256;
  std::string image_digest;
  std::string policy;
  std::string isolation;
  std::vector<std::string> enforced;
  bool warm = false;
  bool operator==(const Provenance&) const = default;
};

struct Attempt {
  std::string path;  // "cold" or "warm"
  std::string outcome;
  std::string reason{};  // what of ours failed, and so made us try again or give up; empty: nothing did
  bool operator==(const Attempt&) const = default;
};

struct RunResult {
  std::string run_id;
  Outcome outcome = Outcome::internal_error;
  bool success = false;
  std::string standard_output;  // "stdout"
  std::string standard_error;   // "stderr"
  std::uint64_t stdout_bytes = 0;
  std::uint64_t stderr_bytes = 0;
  bool stdout_truncated = false;
  bool stderr_truncated = false;
  std::optional<int> exit_code;
  std::optional<std::string> signal;  // "SIGSEGV"
  std::optional<RunError> error;
  std::vector<Artifact> artifacts;
  std::vector<RichResult> results;
  Metrics metrics;
  Validation validation;
  std::vector<Denial> denials;
  Provenance provenance;
  std::vector<Attempt> attempts;
  bool cached = false;
  unsigned retry_after_s = 0;  // of a refusal; a header of the answer, never part of the result's JSON

  bool operator==(const RunResult&) const = default;
};

[[nodiscard]] std::string_view to_string(Outcome outcome);
[[nodiscard]] std::optional<Outcome> parse_outcome(std::string_view name);

}  // namespace glovebox::contract

// What is kept of a run (O1), as plain values. Times are milliseconds since 1970, sizes are bytes, hashes are 64
// lower-case hexadecimal digits.
//
// A run is told to the store twice: RunStart when it is admitted and RunEnd when its answer is ready. Whoever tells it
// has redacted both before (O2): the store keeps what it is given, bytes for bytes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/run_request.h"
#include "contract/run_result.h"

namespace glovebox::records {

// running: begun and not ended. interrupted: the service died before it ended; there is no result. waiting: begun, and
// somebody has to approve it first; only a service knows that of its runs, the store says running.
enum class RunState { running, finished, interrupted, waiting };
[[nodiscard]] std::string_view to_string(RunState state);
[[nodiscard]] std::optional<RunState> parse_run_state(std::string_view name);

struct RunStart {
  std::string run_id;
  std::string tenant;
  std::string key_id;   // the key that asked; empty: nobody had to prove anything
  std::string task_id;  // empty: belongs to no task
  std::optional<std::string> idempotency_key;
  std::string request_sha256;
  std::string cache_key;  // empty: must not be found by find_cached
  std::int64_t created_ms = 0;
  std::string traceparent;
  contract::RunRequest request;
  std::string replay_of;  // the run that this one repeats; empty: none
};

struct RunEnd {
  std::string run_id;
  std::int64_t finished_ms = 0;
  contract::RunResult result;                       // the bytes of its artifacts are kept too, where there are any
  std::map<std::string, std::uint32_t> redactions;  // rule → how many secrets it found
  bool cacheable = false;
  std::optional<std::string> decision_json;
};

// One line of a list: what can be told without opening the record.
struct RunSummary {
  std::string run_id;
  std::string tenant;
  std::string key_id;
  std::string task_id;
  std::string replay_of;
  std::string language;
  RunState state = RunState::running;
  std::optional<contract::Outcome> outcome;  // of a finished run
  std::string error_code;                    // of its error, if it has one
  bool success = false;
  bool cached = false;
  std::int64_t created_ms = 0;
  std::int64_t finished_ms = 0;  // 0 while it runs
  double wall_ms = 0;
  double cpu_ms = 0;
  std::uint64_t redactions = 0;
  std::uint64_t stored_bytes = 0;  // what this run adds to its tenant's storage
  bool operator==(const RunSummary&) const = default;
};

// Bytes that were taken out of the record and are kept by their hash.
struct ContentRef {
  std::string role;  // code, stdin, file, stdout, stderr, artifact
  std::string path;  // of a file or an artifact
  std::string sha256;
  std::uint64_t bytes = 0;
  bool operator==(const ContentRef&) const = default;
};

struct RunRecord {
  RunSummary summary;
  std::optional<std::string> idempotency_key;
  std::string request_sha256;
  std::string cache_key;
  bool cacheable = false;
  std::string traceparent;
  contract::RunRequest request;
  std::optional<contract::RunResult> result;  // without the bytes of artifacts; those come from Store::artifact
  std::optional<std::string> decision_json;
  std::map<std::string, std::uint32_t> redactions;
  std::vector<ContentRef> contents;
  std::uint64_t audit_seq = 0;  // the entry that vouches for this record; 0 while it runs
  std::string approval_id;      // that a waiting run waits for; never stored
};

struct StoredArtifact {
  std::string bytes;
  std::string media_type;
  std::string sha256;
};

// Every given part must match; an absent one matches all. created_ms is in [since_ms, until_ms).
struct RunFilter {
  std::optional<std::string> tenant;
  std::optional<contract::Outcome> outcome;
  std::optional<std::string> language;
  std::optional<std::string> task_id;
  std::optional<RunState> state;
  std::optional<std::int64_t> since_ms;
  std::optional<std::int64_t> until_ms;
};

struct RunPage {
  std::vector<RunSummary> runs;  // newest first
  std::string next_cursor;       // empty: there is nothing older
};

}  // namespace glovebox::records

// Runs a recorded request again and says what is different (D2).
#pragma once

#include <string>
#include <vector>

#include "contract/json_writer.h"
#include "contract/run_result.h"
#include "records/run_record.h"
#include "runner/runner.h"

namespace glovebox::runner {

enum class ReplayVerdict {
  equal,
  differs,
  image_changed,  // the image is not the one of the record: a difference proves nothing
};
[[nodiscard]] std::string_view to_string(ReplayVerdict verdict);

struct ReplayDifference {
  std::string field;
  std::string recorded;
  std::string replayed;
  std::string diff;  // unified, for texts of several lines; else empty
};

struct ReplayReport {
  ReplayVerdict verdict = ReplayVerdict::equal;
  std::string replay_of;
  std::vector<ReplayDifference> differences;
  bool redacted_inputs = false;  // secrets were taken out of what was recorded, so this run got other inputs
  contract::RunResult result;
};

// Outcome, output, exit, error, denials, values and artifacts by their hashes; neither times nor ids.
[[nodiscard]] std::vector<ReplayDifference> compare_results(const contract::RunResult& recorded,
                                                            const contract::RunResult& replayed);

struct ReplayOptions {
  const engine::CancelToken* cancel = nullptr;
  // An approval serves one run, so a replay needs one of its own.
  std::vector<std::string> approved_rules;
  std::string approver;
};

// Why there is nothing to compare a second run with; empty if there is. A program that was refused never ran, and one
// that was cut off shows how far it got, not what it does.
[[nodiscard]] std::string nothing_to_replay(const records::RunRecord& record);

// Fails when there is no such run of this tenant, when there is nothing to replay, and when the second run was itself
// refused or cut off: that is no verdict about the program. An empty tenant: anybody's. The policy of the recorded
// name decides anew; if it has changed since, its digests differ, and `policy` is among the differences.
[[nodiscard]] base::Result<ReplayReport> replay(Runner& runner, const std::string& run_id, const Caller& caller,
                                                const ReplayOptions& replay_options = {});

// {"verdict":…}, as the HTTP interface gives it.
[[nodiscard]] std::string to_json(const ReplayReport& report, contract::JsonStyle style = contract::JsonStyle::compact);

}  // namespace glovebox::runner

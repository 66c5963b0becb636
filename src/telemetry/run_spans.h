// A run as spans: "glovebox.run", and below it one span per stage of metrics.stages.
//
// A result says how long each stage took, not when it began. Stages that follow each other are laid end to end; what
// happens while the supervisor waits (identity, root, seal, and inputs beside them) goes below "setup", from its start.
//
// Only numbers and names of ours go into spans. Code, output, error messages and what was denied stay in the record: a
// trace leaves the host, and nobody has redacted it.
#pragma once

#include <string_view>
#include <vector>

#include "contract/run_result.h"
#include "telemetry/span.h"

namespace glovebox::telemetry {

struct RunSpanPlace {
  std::string_view language;
  std::uint64_t start_unix_ns = 0;  // when the run was accepted: its wait in the queue is part of it
  std::uint64_t end_unix_ns = 0;    // 0: after the last stage
  TraceContext parent;              // nothing comes of one that is not sampled
};

// The first is the run's own span. A result from the cache has no stages: they belong to the run that made it.
[[nodiscard]] std::vector<Span> spans_of_run(const contract::RunResult& result, const RunSpanPlace& place);

}  // namespace glovebox::telemetry

// A request's "expect", compiled: everything that can be wrong about it is found here, before a run is spent on it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "contract/expect.h"
#include "contract/run_request.h"
#include "verification/invariant.h"
#include "verification/schema.h"

namespace glovebox::verification {

// Cells that tests and properties may need together.
inline constexpr std::size_t kMaxTrials = 128;

struct Expectation {
  contract::Expect expect;
  std::optional<Schema> output_schema;
  std::optional<Schema> value_schema;
  std::vector<Invariant> invariants;

  // Errors name the field, such as expect.invariants[2] or expect.stdout_json_schema#/properties/x. A request without
  // "expect" gives an empty Expectation.
  [[nodiscard]] static base::Result<Expectation> compile(const contract::RunRequest& request);

  // Patterns of the files that have to be collected, beside those of the request.
  [[nodiscard]] std::vector<std::string> artifact_patterns() const;
  // Something must not be there, so everything that is has to be known.
  [[nodiscard]] bool needs_whole_work() const;
  // Tests call solve(input), so the language must have that form.
  [[nodiscard]] bool calls_solve() const { return !expect.cases.empty() || !expect.properties.empty(); }
};

}  // namespace glovebox::verification

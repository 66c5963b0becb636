// The language of invariants: the text up to the first NUL is the invariant, what follows is the program's output and
// the artifact out.csv. An invariant that was given up for lack of budget must not hold.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "verification/invariant.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace glovebox::verification;  // NOLINT(google-build-using-namespace): one function, one library
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::string_view text = all.substr(0, all.find('\0'));
  const std::string_view output = all.substr(std::min(text.size() + 1, all.size()));
  const auto invariant = Invariant::parse(text.substr(0, 2000));
  if (!invariant) {
    return 0;
  }
  glovebox::contract::Artifact artifact;
  artifact.path = "out.csv";
  artifact.content = output;
  const glovebox::contract::Artifact artifacts[] = {artifact};
  Evidence evidence;
  evidence.standard_output = output;
  evidence.value_json = output;
  evidence.input_json = output;
  evidence.artifacts = artifacts;
  evidence.read_input = [&](const std::string&) { return glovebox::base::Result<std::string>(std::string(output)); };
  WorkBudget budget(200'000, std::chrono::milliseconds(500));
  Documents documents(evidence, budget);
  if (invariant->problem_with(documents).empty() && budget.spent_out()) {
    std::abort();
  }
  (void)invariant->needs();
  return 0;
}

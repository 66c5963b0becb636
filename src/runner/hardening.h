// The hardening checklist (H1–H7), proved by running a probe in a real cell for each point.
#pragma once

#include <string>
#include <vector>

#include "runner/runner.h"

namespace glovebox::runner {

struct Proof {
  std::string id;  // H1
  std::string title;
  bool holds = false;
  std::string detail;  // what was tried and seen
};

// Plants canaries in this process's environment and in a temporary file for the time of the call.
[[nodiscard]] std::vector<Proof> prove_hardening(Runner& runner);

}  // namespace glovebox::runner

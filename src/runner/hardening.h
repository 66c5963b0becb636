// The hardening checklist (H1–H7), proved by running a probe in a real cell for each point.
//
// A proof is worth what would make it fail. So each probe looks for the thing itself (a canary that was planted before
// the launcher started, a secret that was recorded), insists on having seen that the attempt was made, and its test
// takes the wall away to see the proof turn red.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "runner/runner.h"
#include "runner/service_settings.h"

namespace glovebox::runner {

struct Proof {
  std::string id;  // H1
  std::string title;
  bool holds = false;
  std::string detail;  // what was tried and seen
};

// In place of Runner::run, for tests that break what a proof is about.
using ProbeRun = std::function<contract::RunResult(Runner&, const contract::RunRequest&)>;

struct ProofOptions {
  RunnerOptions runner;
  RedactionSettings redaction;      // what the operator wants records to be without
  std::vector<std::string> points;  // H1 …; empty: all
  ProbeRun run;                     // empty: Runner::run
};

// Makes a Runner of its own, as `glovebox run` does: with a launcher that is a fork of this process, which must not
// have other threads. Canaries are in this process's environment and in a temporary file for the time of the call, and
// a recorded run leaves its records in a temporary directory that goes away again.
[[nodiscard]] base::Result<std::vector<Proof>> prove_hardening(ProofOptions options);

}  // namespace glovebox::runner

// Puts a result together: how the run ended, told exactly, with the first cause first.
#pragma once

#include <string>

#include "base/error.h"
#include "contract/run_request.h"
#include "contract/run_result.h"
#include "engine/engine.h"
#include "engine/languages/language_profile.h"
#include "policy/decision.h"

namespace glovebox::runner {

class Answer {
 public:
  Answer(const contract::RunRequest& request, std::string run_id);

  void provenance(std::string inputs_sha256, std::string image_digest);
  [[nodiscard]] const contract::Provenance& provenance() const { return result_.provenance; }
  // "strict@sha256:…", once it is known.
  void policy(std::string reference) { result_.provenance.policy = std::move(reference); }
  // What it took, in milliseconds, before there was a cell.
  void stage(const std::string& name, double ms) { result_.metrics.stages[name] = ms; }
  void waited(double queue_ms) { result_.metrics.queue_ms = queue_ms; }

  // The request was not admitted: no cell was made.
  [[nodiscard]] contract::RunResult refused(const base::Error& error);
  // The policy has not let it through. `error` has the code; what it leaves open is filled in from the decision.
  [[nodiscard]] contract::RunResult rejected(const policy::Decision& decision, base::Error error);
  // A cell could not be made.
  [[nodiscard]] contract::RunResult not_executed(const base::Error& error);
  [[nodiscard]] contract::RunResult executed(engine::ExecutionReport report, const engine::LanguageProfile& language);

 private:
  void fail_with(const base::Error& error, contract::Outcome outcome);

  const contract::RunRequest& request_;
  contract::RunResult result_;
  std::string path_ = "cold";
};

}  // namespace glovebox::runner

// One run for a tool: asked about if the policy wants it, lined up, watched, tried again if it was our fault (F1), and
// told.
//
//   start → (policy asks → a person answers) → line → work → fallback → answer
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "contract/run_request.h"
#include "contract/run_result.h"
#include "mcp/approval.h"
#include "mcp/call.h"
#include "mcp/progress.h"
#include "mcp/tools/toolbox.h"
#include "workspaces/workspace.h"

namespace glovebox::mcp {

class RunJob : public std::enable_shared_from_this<RunJob> {
 public:
  // `binding` is what an approval of this run would be good for.
  RunJob(Toolbox& toolbox, CallPtr call, contract::RunRequest request, Toolbox::Place place, std::string binding)
      : toolbox_(toolbox),
        call_(std::move(call)),
        request_(std::move(request)),
        place_(std::move(place)),
        binding_(std::move(binding)) {}

  // F1: two failures of ours in a row, and the program is written to a file and run by a shell.
  void allow_fallback() { may_fall_back_ = true; }
  void start();

 private:
  void ask_policy();
  void line_up();
  void work(const runner::Waited& waited);
  [[nodiscard]] contract::RunResult run_once(const contract::RunRequest& request, double queue_ms);
  [[nodiscard]] contract::RunResult with_fallback(contract::RunResult failed, double queue_ms);
  void answer(contract::RunResult result);

  Toolbox& toolbox_;
  const CallPtr call_;
  const contract::RunRequest request_;
  const Toolbox::Place place_;
  const std::string binding_;
  bool may_fall_back_ = false;

  // One thread at a time has the job, so none of these is guarded.
  std::optional<Consent> consent_;
  std::string asked_;  // what the consent is about
  std::shared_ptr<Progress> progress_;
  workspaces::Changes changes_;
  std::string fell_back_;  // why; empty: it did not
};

// Whether it was not the program that failed, but what runs it.
[[nodiscard]] bool is_infrastructure_failure(const contract::RunResult& result);

// The same program as a shell script that writes it to a file and runs it. Nothing if that cannot be.
[[nodiscard]] std::optional<contract::RunRequest> shell_fallback(const contract::RunRequest& request);

}  // namespace glovebox::mcp

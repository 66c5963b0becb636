// A run's result as a tool tells it: the result object of the contract, plots as images, files and long output as
// links.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "contract/run_result.h"
#include "mcp/call.h"
#include "workspaces/workspace.h"

namespace glovebox::mcp {

struct RunAnswer {
  std::string workspace;  // its handle; empty: the run had none
  workspaces::Changes changes;
  std::string fell_back;        // F1, and why
  std::string approve_command;  // see ToolDefaults
};

void answer_run(Call& call, contract::RunResult result, const RunAnswer& told);

// The result of a run that never began.
[[nodiscard]] contract::RunResult refused_run(const base::Error& error, std::string run_id);

// What the structured content of a run looks like, as a JSON schema.
[[nodiscard]] std::string run_output_schema();

}  // namespace glovebox::mcp

// What the tools work with: the runner, the workspaces, the runs of before, and what was decided when the server
// started.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "mcp/approval.h"
#include "mcp/call.h"
#include "mcp/offer.h"
#include "mcp/ticker.h"
#include "mcp/tools/run_archive.h"
#include "runner/runner.h"
#include "workspaces/workspaces.h"

namespace glovebox::mcp {

struct ToolDefaults {
  std::string policy = "default";           // of a call that names none
  std::vector<std::string> approved_rules;  // that whoever started the server has approved
  std::string approver;
  // How to approve beforehand, for the answer to somebody who cannot be asked: "glovebox mcp --approve". Empty: the
  // run's own refusal says how.
  std::string approve_command;
};

class Toolbox {
 public:
  Toolbox(runner::Runner& runner, std::unique_ptr<workspaces::Workspaces> workspaces, Ticker& ticker,
          ToolDefaults defaults)
      : runner_(runner),
        workspaces_(std::move(workspaces)),
        ticker_(ticker),
        defaults_(std::move(defaults)),
        archive_(runner),
        approvals_(ticker) {}

  [[nodiscard]] runner::Runner& runner() { return runner_; }
  [[nodiscard]] Ticker& ticker() { return ticker_; }
  [[nodiscard]] const ToolDefaults& defaults() const { return defaults_; }
  [[nodiscard]] RunArchive& archive() { return archive_; }
  [[nodiscard]] Approvals& approvals() { return approvals_; }

  struct Place {
    std::string handle;
    std::shared_ptr<workspaces::Workspace> workspace;
  };
  enum class WhenMissing { none, create, refuse };
  // The workspace that a call works in: the one that it names, else its conversation's. Null with `none` if there is
  // neither.
  [[nodiscard]] base::Result<Place> place(Call& call, const std::string& handle, WhenMissing missing);

 private:
  runner::Runner& runner_;
  const std::unique_ptr<workspaces::Workspaces> workspaces_;
  Ticker& ticker_;
  const ToolDefaults defaults_;
  RunArchive archive_;
  Approvals approvals_;
  std::mutex mutex_;  // a conversation makes one workspace, however many calls want it at once
};

// Everything that Glovebox offers over MCP.
[[nodiscard]] Offer sandbox_offer(Toolbox& toolbox);

// One per tool, in its own file.
[[nodiscard]] Tool execute_code_tool(Toolbox& toolbox);
[[nodiscard]] Tool run_shell_tool(Toolbox& toolbox);
[[nodiscard]] Tool write_file_tool(Toolbox& toolbox);
[[nodiscard]] Tool read_file_tool(Toolbox& toolbox);
[[nodiscard]] Tool list_files_tool(Toolbox& toolbox);
[[nodiscard]] Tool check_policy_tool(Toolbox& toolbox);
[[nodiscard]] Tool get_run_tool(Toolbox& toolbox);
[[nodiscard]] Tool replay_run_tool(Toolbox& toolbox);

// resources/read of what runs left.
[[nodiscard]] bool read_run_resource(Toolbox& toolbox, const CallPtr& call, const std::string& uri);

// On a thread for chores; a caller for whom there is no room is told.
void do_chore(const CallPtr& call, std::function<void()> work);

}  // namespace glovebox::mcp

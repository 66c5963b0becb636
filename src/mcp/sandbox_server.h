// Glovebox as an MCP server, ready for a transport: the server, its tools and what they work with.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "mcp/conformance/fixtures.h"
#include "mcp/server.h"
#include "mcp/ticker.h"
#include "mcp/tools/toolbox.h"
#include "runner/runner.h"
#include "runner/service_settings.h"

namespace glovebox::mcp {

struct SandboxServerOptions {
  std::string version;
  std::string workspace_directory;
  runner::WorkspaceSettings workspaces;
  ToolDefaults defaults;
  bool conformance = false;  // with the fixtures of the protocol's own test suite
};

class SandboxServer {
 public:
  // The runner must outlive it.
  [[nodiscard]] static base::Result<std::unique_ptr<SandboxServer>> create(runner::Runner& runner,
                                                                           SandboxServerOptions options);
  ~SandboxServer();

  [[nodiscard]] Server& server() { return *server_; }
  // Stops what has a clock.
  void stop() { ticker_.stop(); }

 private:
  SandboxServer(runner::Runner& runner, std::unique_ptr<workspaces::Workspaces> workspaces, ToolDefaults defaults);

  Ticker ticker_;
  Toolbox toolbox_;
  conformance::Surroundings surroundings_;
  std::unique_ptr<Server> server_;
};

}  // namespace glovebox::mcp

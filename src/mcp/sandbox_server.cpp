#include "mcp/sandbox_server.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace glovebox::mcp {
namespace {

constexpr std::chrono::milliseconds kMostSweepPause = std::chrono::minutes(1);

}  // namespace

SandboxServer::SandboxServer(runner::Runner& runner, std::unique_ptr<workspaces::Workspaces> workspaces,
                             ToolDefaults defaults)
    : toolbox_(runner, std::move(workspaces), ticker_, std::move(defaults)), surroundings_(ticker_) {}

base::Result<std::unique_ptr<SandboxServer>> SandboxServer::create(runner::Runner& runner,
                                                                   SandboxServerOptions options) {
  workspaces::WorkspacesOptions places;
  places.directory = std::move(options.workspace_directory);
  places.settings = options.workspaces;
  auto workspaces = TRY(workspaces::Workspaces::create(std::move(places)));
  workspaces::Workspaces* kept = workspaces.get();
  std::unique_ptr<SandboxServer> made(new SandboxServer(runner, std::move(workspaces), std::move(options.defaults)));
  Offer offer = sandbox_offer(made->toolbox_);
  if (options.conformance) {
    conformance::add_fixtures(offer, made->surroundings_);
  }
  made->server_ = std::make_unique<Server>(std::move(offer), std::move(options.version), made->ticker_);
  made->surroundings_.listeners = &made->server_->listeners();
  // What has expired does not wait on the disk for the next call.
  made->ticker_.every(
      std::min(kMostSweepPause, std::chrono::milliseconds(std::chrono::seconds(options.workspaces.ttl_s))), [kept] {
        kept->sweep();
        return true;
      });
  return made;
}

// Nothing may tick into what is going away.
SandboxServer::~SandboxServer() { ticker_.stop(); }

}  // namespace glovebox::mcp

// /mcp, for agents that speak the Model Context Protocol: src/server/mcp.
#include <utility>

#include "mcp/sandbox_server.h"
#include "server/api/answers.h"
#include "server/api/api.h"
#include "server/mcp/mcp_endpoint.h"

namespace glovebox::server {

void Api::offer_mcp(std::unique_ptr<mcp::SandboxServer> server) {
  mcp_ = std::make_unique<McpEndpoint>(*this, std::move(server));
}

void Api::post_mcp(const CallPtr& call) {
  mcp_ != nullptr ? mcp_->post(call) : call->respond(not_found("this service does not speak MCP"));
}

void Api::get_mcp(const CallPtr& call) {
  mcp_ != nullptr ? mcp_->get(call) : call->respond(not_found("this service does not speak MCP"));
}

void Api::delete_mcp(const CallPtr& call) {
  mcp_ != nullptr ? mcp_->remove(call) : call->respond(not_found("this service does not speak MCP"));
}

}  // namespace glovebox::server

// MCP over streamable HTTP: POST, GET and DELETE of /mcp, for both eras of the protocol.
//
// POST brings one message. A request is answered with JSON, unless something has to be said before: then the answer
// becomes a stream of events. GET opens the stream of a session for news, or takes up a stream that broke; DELETE ends
// a session. The stateless era has neither: closing the connection cancels its request.
//
// Every run of a tool goes through the service's line, quotas, records and metrics like POST /v1/runs.
#pragma once

#include <memory>
#include <string>

#include "mcp/sandbox_server.h"
#include "server/api/call.h"
#include "server/mcp/mcp_sessions.h"

namespace glovebox::server {

class Api;

class McpEndpoint {
 public:
  McpEndpoint(Api& api, std::unique_ptr<mcp::SandboxServer> server) : api_(api), sandbox_(std::move(server)) {}

  void post(const CallPtr& call);
  void get(const CallPtr& call);
  void remove(const CallPtr& call);

  // Ends streams that would never end by themselves.
  void drain();
  // Also ends sessions and stops what has a clock: nothing comes from here any more.
  void close();

 private:
  void message(const CallPtr& call);
  void request(const CallPtr& call, mcp::Message message);
  // `session` is null if the call was answered for want of one.
  void batch(const CallPtr& call, const McpSessionPtr& session);
  // The session that the call names; null, and the call is answered, if there is none for this caller.
  [[nodiscard]] McpSessionPtr session_of(const CallPtr& call);
  void receive(const CallPtr& call, McpSessionPtr session, mcp::Message message, mcp::Era era);

  Api& api_;
  McpSessions sessions_;
  std::unique_ptr<mcp::SandboxServer> sandbox_;
};

}  // namespace glovebox::server

// The way back for one request over HTTP: JSON, or events if something has to be said first.
#pragma once

#include <mutex>
#include <string>

#include "mcp/channel.h"
#include "server/api/call.h"
#include "server/mcp/mcp_sessions.h"

namespace glovebox::server {

class HttpChannel final : public mcp::Channel {
 public:
  // `session` is null in the stateless era. `is_new`: it was made by this request, and the answer names it.
  HttpChannel(CallPtr call, McpSessionPtr session, bool is_new, std::string request_id);

  [[nodiscard]] bool can_send() const override { return accepts_events_; }
  void send(std::string message) override;
  void answer(mcp::Answer answer) override;
  void leave_unanswered() override;
  void pause() override;

 private:
  [[nodiscard]] http::Headers headers() const;
  EventStream& stream();  // with the lock

  const CallPtr call_;
  const McpSessionPtr session_;
  const bool is_new_;
  const std::string request_id_;
  const bool accepts_events_;
  const bool accepts_json_;
  std::mutex mutex_;
  EventStreamPtr stream_;
};

// Which media types a client takes.
[[nodiscard]] bool accepts(const http::Headers& headers, std::string_view media_type);

}  // namespace glovebox::server

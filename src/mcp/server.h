// The MCP server behind every transport: a message comes in, an answer goes out through its channel.
//
//   transport (a pipe, HTTP)  →  Server::receive  →  Call  →  a tool, a resource, a prompt of the Offer
//
// Which era a request belongs to is decided per request: one that names its revision in `_meta` is stateless, any other
// belongs to the session that `initialize` opened. A transport that knows better (HTTP has a header) says so.
//
// Threads: receive() never waits. What takes time goes through the call's Host; what has a clock is on the Ticker.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "mcp/call.h"
#include "mcp/listeners.h"
#include "mcp/offer.h"
#include "mcp/ticker.h"

namespace glovebox::mcp {

enum class Era { handshake, stateless };

class Server {
 public:
  Server(Offer offer, std::string version, Ticker& ticker);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  // `era` nothing: the message itself says.
  void receive(Message message, Origin origin, std::optional<Era> era = std::nullopt);
  // Of a text that is no message; the answer to it.
  [[nodiscard]] static Answer refusal(const BadMessage& bad);

  [[nodiscard]] Listeners& listeners() { return listeners_; }

 private:
  using Handler = void (Server::*)(const CallPtr& call);
  struct Method {
    std::string_view name;
    Handler handler;
    bool handshake;
    bool stateless;
  };
  [[nodiscard]] static const Method* find_method(std::string_view name, Era era);

  void notification(const Message& message, const Origin& origin);
  void request(Message message, Origin origin, Era era);
  [[nodiscard]] CallPtr stateless_call(Message message, RequestMeta meta, Origin origin);

  void initialize(const CallPtr& call);
  void discover(const CallPtr& call);
  void ping(const CallPtr& call);
  void set_level(const CallPtr& call);
  void list_tools(const CallPtr& call);
  void call_tool(const CallPtr& call);
  void list_resources(const CallPtr& call);
  void list_templates(const CallPtr& call);
  void read_resource(const CallPtr& call);
  void subscribe(const CallPtr& call);
  void unsubscribe(const CallPtr& call);
  void list_prompts(const CallPtr& call);
  void get_prompt(const CallPtr& call);
  void complete(const CallPtr& call);
  void listen(const CallPtr& call);

  const Offer offer_;
  const std::string info_;  // {"name":…,"version":…}
  std::unordered_map<std::string, const Tool*> tools_;
  std::unordered_map<std::string, const Prompt*> prompts_;
  std::array<std::string, kRevisionNames.size()> tool_lists_;  // by revision
  Listeners listeners_;
};

}  // namespace glovebox::mcp

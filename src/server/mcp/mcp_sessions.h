// The sessions of the older era over HTTP, by Mcp-Session-Id.
//
// An id is a secret of 128 random bits and good only for the key that made the session: anybody else finds nothing.
// Bounded in number, in all and per tenant; one that nobody has used for a while is forgotten, and the one that was
// idle for longest makes room for the next.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "mcp/session.h"
#include "server/api/identity.h"
#include "server/mcp/event_stream.h"

namespace glovebox::server {

class McpSession {
 public:
  explicit McpSession(std::string of_id) : id(std::move(of_id)) {}

  const std::string id;
  const mcp::SessionPtr session = std::make_shared<mcp::Session>();

  // A stream for the answer to one request.
  [[nodiscard]] EventStreamPtr new_stream();
  // Nothing: never there, or forgotten.
  [[nodiscard]] EventStreamPtr find_stream(std::uint64_t number);
  // The stream of news that belong to no request.
  [[nodiscard]] EventStreamPtr news();
  // Nobody hears news any more; what is being answered goes on.
  void end_news();
  // Ends everything.
  void close();

 private:
  void make_room();

  std::mutex mutex_;
  std::map<std::uint64_t, EventStreamPtr> streams_;
  EventStreamPtr news_;
  std::uint64_t last_ = 0;
  const std::shared_ptr<std::atomic<std::size_t>> kept_ = std::make_shared<std::atomic<std::size_t>>(0);
};

using McpSessionPtr = std::shared_ptr<McpSession>;

class McpSessions {
 public:
  using Clock = std::chrono::steady_clock;

  // Nothing: there are too many.
  [[nodiscard]] McpSessionPtr add(const Identity& identity, Clock::time_point now);
  // Counts as a use.
  [[nodiscard]] McpSessionPtr find(const std::string& id, const Identity& identity, Clock::time_point now);
  [[nodiscard]] bool remove(const std::string& id, const Identity& identity);
  void end_news();
  void close_all();

 private:
  struct Place {
    McpSessionPtr session;
    std::string tenant;
    std::string key_id;
    Clock::time_point used;
  };
  [[nodiscard]] std::vector<McpSessionPtr> take_old(Clock::time_point now);

  std::mutex mutex_;
  std::map<std::string, Place> places_;
};

}  // namespace glovebox::server

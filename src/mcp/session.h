// What both sides of a connection remember: the handshake of the older era, the requests that are being answered, and
// the questions that we have asked. One per pipe, one per Mcp-Session-Id; any thread may call.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "engine/supervise/cancel_token.h"
#include "mcp/channel.h"
#include "mcp/message.h"
#include "mcp/request_meta.h"
#include "mcp/revision.h"

namespace glovebox::mcp {

using Token = std::shared_ptr<const engine::CancelToken>;

// What came of a question to the client.
struct Reply {
  std::string result;  // JSON text; empty: there is none
  std::string error;   // why; empty: there is a result
};

class Session {
 public:
  using Clock = std::chrono::steady_clock;
  using OnReply = std::function<void(const Reply&)>;

  // False: the handshake has been made before.
  [[nodiscard]] bool open(Revision revision, ClientTraits client);
  // Nothing before the handshake.
  [[nodiscard]] std::optional<Revision> revision() const;
  [[nodiscard]] ClientTraits client() const;

  [[nodiscard]] LogLevel log_level() const;
  void set_log_level(LogLevel level);
  // False: too many.
  [[nodiscard]] bool subscribe(const std::string& uri);
  void unsubscribe(const std::string& uri);
  [[nodiscard]] bool subscribed(const std::string& uri) const;

  // Of the conversation; empty: it has none yet.
  [[nodiscard]] std::string workspace() const;
  // `drop` is called when the conversation is over.
  void set_workspace(std::string handle, std::function<void()> drop = nullptr);
  void drop_workspace();

  enum class Begin { begun, id_in_use, too_many };
  [[nodiscard]] Begin begin(const std::string& id, Token token);
  // True: the client has cancelled it meanwhile.
  bool end(const std::string& id);
  void cancel(const std::string& id);
  void cancel_all();

  // Asks the client; `on_reply` is called exactly once, on whatever thread brings the reply, or when it is too late.
  // `request` is the one that it is asked for: cancelling that ends the question. True: no other question was open.
  bool ask(const std::string& request, const ChannelPtr& channel, std::string_view method, std::string_view members,
           Clock::time_point until, OnReply on_reply);
  void reply(const Message& response);
  // Gives up questions whose time is over; true while there are others.
  bool expire(Clock::time_point now);

  // Where news go that belong to no request; none: nobody listens.
  void set_news(std::function<void(std::string)> news);
  void tell(std::string message);

 private:
  struct Request {
    Token token;
    bool cancelled = false;
  };
  struct Question {
    std::string request;
    Clock::time_point until;
    OnReply on_reply;
  };

  mutable std::mutex mutex_;
  std::optional<Revision> revision_;
  ClientTraits client_;
  LogLevel log_level_ = LogLevel::info;
  std::set<std::string> subscriptions_;
  std::string workspace_;
  std::function<void()> drop_workspace_;
  std::map<std::string, Request> requests_;
  std::map<std::string, Question> questions_;
  std::uint64_t asked_ = 0;
  std::function<void(std::string)> news_;
};

using SessionPtr = std::shared_ptr<Session>;

}  // namespace glovebox::mcp

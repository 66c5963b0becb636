// Who wants to hear of changes: streams of subscriptions/listen in the stateless era, sessions in the older one.
//
// A listen request stays unanswered for as long as its client listens; it ends when the client cancels it or goes away
// (looked at by the ticker), or when the server ends.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "mcp/call.h"
#include "mcp/ticker.h"

namespace glovebox::mcp {

enum class News { tools, prompts, resources, resource };

class Listeners {
 public:
  explicit Listeners(Ticker& ticker) : ticker_(ticker) {}

  // subscriptions/listen: tells what it will hear of, if the server has such news at all, and keeps the call.
  void listen(const CallPtr& call, bool has_news);
  // A session hears of all lists, and of the resources that it subscribed to.
  void watch(const SessionPtr& session);
  void announce(News news, const std::string& uri = {});
  // Ends every stream, as a server does that shuts down.
  void end_all();

 private:
  struct Filter {
    bool tools = false;
    bool prompts = false;
    bool resources = false;
    std::set<std::string> uris;
  };
  struct Listener {
    CallPtr call;
    Filter filter;
  };
  [[nodiscard]] static Filter read_filter(const contract::JsonValue& wanted);
  [[nodiscard]] static std::string to_json(const Filter& filter);
  [[nodiscard]] bool sweep();
  static void end(const CallPtr& call);

  Ticker& ticker_;
  std::mutex mutex_;
  std::list<Listener> listeners_;
  std::list<std::weak_ptr<Session>> sessions_;
  bool swept_ = false;  // the ticker looks after them
};

}  // namespace glovebox::mcp

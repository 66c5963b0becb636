#include "mcp/listeners.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "contract/json_writer.h"

namespace glovebox::mcp {
namespace {

using contract::JsonValue;

constexpr std::size_t kMaxListeners = 256;
constexpr std::size_t kMaxUris = 256;
constexpr std::size_t kMaxWatchedUriBytes = 4096;
constexpr auto kSweepPause = std::chrono::milliseconds(500);

std::string_view method_of(News news) {
  switch (news) {
    case News::tools:
      return "notifications/tools/list_changed";
    case News::prompts:
      return "notifications/prompts/list_changed";
    case News::resources:
      return "notifications/resources/list_changed";
    case News::resource:
      return "notifications/resources/updated";
  }
  return "";
}

std::string subscription_meta(const Call& call) {
  return fmt::format(R"("_meta":{{"io.modelcontextprotocol/subscriptionId":{}}})", call.id());
}

std::string uri_member(News news, const std::string& uri) {
  return news == News::resource ? fmt::format(R"("uri":{})", contract::quote_json(uri)) : "";
}

}  // namespace

Listeners::Filter Listeners::read_filter(const JsonValue& wanted) {
  Filter filter;
  filter.tools = is_true(member(wanted, "toolsListChanged"));
  filter.prompts = is_true(member(wanted, "promptsListChanged"));
  filter.resources = is_true(member(wanted, "resourcesListChanged"));
  if (const JsonValue* uris = member(wanted, "resourceSubscriptions");
      uris != nullptr && uris->kind == JsonValue::Kind::array) {
    for (const contract::JsonMember& uri : uris->members) {
      if (uri.value.kind == JsonValue::Kind::string && uri.value.text.size() <= kMaxWatchedUriBytes &&
          filter.uris.size() < kMaxUris) {
        filter.uris.insert(uri.value.text);
      }
    }
  }
  return filter;
}

std::string Listeners::to_json(const Filter& filter) {
  contract::JsonWriter json;
  json.begin_object();
  const auto flag = [&json](std::string_view name, bool set) {
    if (set) {
      json.boolean(name, true);
    }
  };
  flag("toolsListChanged", filter.tools);
  flag("promptsListChanged", filter.prompts);
  flag("resourcesListChanged", filter.resources);
  if (!filter.uris.empty()) {
    json.key("resourceSubscriptions");
    json.begin_array();
    for (const std::string& uri : filter.uris) {
      json.string(uri);
    }
    json.end_array();
  }
  json.end_object();
  return json.take(contract::JsonStyle::compact);
}

void Listeners::listen(const CallPtr& call, bool has_news) {
  const JsonValue* wanted = object_member(call->params(), "notifications");
  if (wanted == nullptr) {
    return call->fail({kInvalidParams, "\"notifications\" says what to listen for"});
  }
  if (!call->channel()->can_send()) {
    return call->fail({kInvalidParams, "listening needs a stream: accept text/event-stream"});
  }
  Filter filter = has_news ? read_filter(*wanted) : Filter();
  call->notify("notifications/subscriptions/acknowledged",
               fmt::format(R"("notifications":{},{})", to_json(filter), subscription_meta(*call)));
  bool full = false;
  {
    const std::lock_guard lock(mutex_);
    full = listeners_.size() >= kMaxListeners;
    if (!full) {
      listeners_.push_back({call, std::move(filter)});
    }
    if (!full && !std::exchange(swept_, true)) {
      ticker_.every(kSweepPause, [this] { return sweep(); });
    }
  }
  if (full) {
    call->fail({kInternalError, "too many streams listen already"});
  }
}

void Listeners::watch(const SessionPtr& session) {
  const std::lock_guard lock(mutex_);
  std::erase_if(sessions_, [](const std::weak_ptr<Session>& one) { return one.expired(); });
  sessions_.push_back(session);
}

void Listeners::announce(News news, const std::string& uri) {
  std::vector<CallPtr> calls;
  std::vector<SessionPtr> sessions;
  {
    const std::lock_guard lock(mutex_);
    for (const Listener& one : listeners_) {
      const Filter& filter = one.filter;
      const bool wanted = news == News::tools       ? filter.tools
                          : news == News::prompts   ? filter.prompts
                          : news == News::resources ? filter.resources
                                                    : filter.uris.contains(uri);
      if (wanted) {
        calls.push_back(one.call);
      }
    }
    for (const std::weak_ptr<Session>& one : sessions_) {
      if (SessionPtr session = one.lock(); session != nullptr) {
        sessions.push_back(std::move(session));
      }
    }
  }
  const std::string member = uri_member(news, uri);
  for (const CallPtr& call : calls) {
    call->notify(method_of(news), member + (member.empty() ? "" : ",") + subscription_meta(*call));
  }
  for (const SessionPtr& session : sessions) {
    if (news != News::resource || session->subscribed(uri)) {
      session->tell(notification_message(method_of(news), member));
    }
  }
}

void Listeners::end(const CallPtr& call) {
  // The one result whose _meta says which subscription has ended.
  call->complete_subscription(subscription_meta(*call));
}

bool Listeners::sweep() {
  std::list<Listener> gone;
  bool more = false;
  {
    const std::lock_guard lock(mutex_);
    for (auto one = listeners_.begin(); one != listeners_.end();) {
      const auto here = one++;
      if (here->call->cancel()->is_cancelled()) {
        gone.splice(gone.end(), listeners_, here);
      }
    }
    more = !listeners_.empty();
    swept_ = more;
  }
  for (const Listener& one : gone) {
    end(one.call);
  }
  return more;
}

void Listeners::end_all() {
  std::list<Listener> all;
  {
    const std::lock_guard lock(mutex_);
    all.swap(listeners_);
  }
  for (const Listener& one : all) {
    end(one.call);
  }
}

}  // namespace glovebox::mcp

// One request on its way to its answer, in either era. There is exactly one answer: whatever happens to a call, its
// last owner sees to it that the client does not wait for ever.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "mcp/channel.h"
#include "mcp/host.h"
#include "mcp/message.h"
#include "mcp/request_meta.h"
#include "mcp/revision.h"
#include "mcp/session.h"

namespace glovebox::mcp {

// Where a message came from, and how to get back there.
struct Origin {
  SessionPtr session;  // null: a stateless request over HTTP, which belongs to nothing
  ChannelPtr channel;
  HostPtr host;
  Token cancel;
};

class Call {
 public:
  Call(Message message, RequestMeta meta, Revision revision, ClientTraits client, Origin origin,
       std::string_view server_info);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();

  [[nodiscard]] const std::string& id() const { return message_.id; }
  [[nodiscard]] const std::string& method() const { return message_.method; }
  [[nodiscard]] contract::JsonValue& params() { return message_.params; }
  [[nodiscard]] const RequestMeta& meta() const { return meta_; }
  [[nodiscard]] Revision revision() const { return revision_; }
  [[nodiscard]] bool stateless() const { return is_stateless(revision_); }
  [[nodiscard]] const ClientTraits& client() const { return client_; }
  // The conversation; null where every request stands by itself.
  [[nodiscard]] Session* session() const { return stateless() ? nullptr : origin_.session.get(); }
  [[nodiscard]] const SessionPtr& shared_session() const { return origin_.session; }
  [[nodiscard]] const ChannelPtr& channel() const { return origin_.channel; }
  [[nodiscard]] Host& host() const { return *origin_.host; }
  [[nodiscard]] const Token& cancel() const { return origin_.cancel; }
  // Whether the client can be asked something before the answer, as the older era does.
  [[nodiscard]] bool can_ask() const { return session() != nullptr && origin_.channel->can_send(); }

  // The answer, given by the members of the result.
  void complete(std::string_view members);
  // Members of a result that a client may keep for a while.
  void complete_cacheable(std::string_view members);
  // Of subscriptions/listen, whose `_meta` says which one has ended.
  void complete_subscription(std::string_view meta);
  // The stateless era's way of asking: the client sends the request again, with what we want to know.
  void require_input(std::string_view members);
  void fail(ProtocolError error);
  // The request is wrong by itself.
  void refuse(ProtocolError error);

  // Before the answer; afterwards nothing is sent.
  void notify(std::string_view method, std::string_view members);
  [[nodiscard]] bool wants_progress() const { return !meta_.progress_token.empty() && origin_.channel->can_send(); }
  // `total` 0: unknown.
  void progress(double done, double total, std::string_view text);
  // Only what the client wants to hear of.
  void log(LogLevel level, std::string_view data);

 private:
  void answer(Answer answer);
  void finish(std::string members, std::string_view result_type);

  Message message_;
  const RequestMeta meta_;
  const Revision revision_;
  const ClientTraits client_;
  const Origin origin_;
  const std::string_view server_info_;

  std::mutex mutex_;  // keeps notifications before the answer
  bool answered_ = false;
};

using CallPtr = std::shared_ptr<Call>;

}  // namespace glovebox::mcp

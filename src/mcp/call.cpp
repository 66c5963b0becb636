#include "mcp/call.h"

#include <fmt/format.h>

#include <utility>

#include "contract/json_writer.h"

namespace glovebox::mcp {
namespace {

// Lists change when the service is replaced by a newer one.
constexpr std::string_view kCacheHints = R"(,"ttlMs":60000,"cacheScope":"private")";

}  // namespace

Call::Call(Message message, RequestMeta meta, Revision revision, ClientTraits client, Origin origin,
           std::string_view server_info)
    : message_(std::move(message)),
      meta_(std::move(meta)),
      revision_(revision),
      client_(std::move(client)),
      origin_(std::move(origin)),
      server_info_(server_info) {}

Call::~Call() {
  if (!answered_) {
    answer({error_message(id(), {kInternalError, "the request was dropped without an answer"}), kInternalError});
  }
}

void Call::answer(Answer answer) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(answered_, true)) {
    return;
  }
  if (origin_.session != nullptr && origin_.session->end(id())) {
    return origin_.channel->leave_unanswered();
  }
  origin_.channel->answer(std::move(answer));
}

void Call::finish(std::string members, std::string_view result_type) {
  if (stateless()) {
    members = fmt::format(R"("resultType":"{}"{}{},"_meta":{{"io.modelcontextprotocol/serverInfo":{}}})", result_type,
                          members.empty() ? "" : ",", members, server_info_);
  }
  answer({result_message(id(), members)});
}

void Call::complete(std::string_view members) { finish(std::string(members), "complete"); }

void Call::complete_cacheable(std::string_view members) {
  std::string all(members);
  if (stateless()) {
    all += kCacheHints;
  }
  finish(std::move(all), "complete");
}

void Call::complete_subscription(std::string_view meta) {
  answer({result_message(id(), fmt::format(R"("resultType":"complete",{})", meta))});
}

void Call::require_input(std::string_view members) { finish(std::string(members), "input_required"); }

void Call::fail(ProtocolError error) { answer({error_message(id(), error), error.code}); }

void Call::refuse(ProtocolError error) { answer({error_message(id(), error), error.code, true}); }

void Call::notify(std::string_view method, std::string_view members) {
  const std::lock_guard lock(mutex_);
  if (!answered_ && origin_.channel->can_send()) {
    origin_.channel->send(notification_message(method, members));
  }
}

void Call::progress(double done, double total, std::string_view text) {
  if (!wants_progress()) {
    return;
  }
  std::string members = fmt::format(R"("progressToken":{},"progress":{})", meta_.progress_token, done);
  if (total > 0) {
    members += fmt::format(R"(,"total":{})", total);
  }
  // A message came with 2025-03-26.
  if (!text.empty() && revision_ >= Revision::v2025_03_26) {
    members += fmt::format(R"(,"message":{})", contract::quote_json(text));
  }
  notify("notifications/progress", members);
}

void Call::log(LogLevel level, std::string_view data) {
  const std::optional<LogLevel> wanted = session() != nullptr ? session()->log_level() : meta_.log_level;
  if (wanted && level >= *wanted) {
    notify("notifications/message",
           fmt::format(R"("level":"{}","logger":"glovebox","data":{})", to_string(level), data));
  }
}

}  // namespace glovebox::mcp

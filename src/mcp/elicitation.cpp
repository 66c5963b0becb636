#include "mcp/elicitation.h"

#include <fmt/format.h>

#include <utility>

#include "contract/json_writer.h"

namespace glovebox::mcp {

using contract::JsonValue;

std::optional<Elicited> read_elicited(std::string_view json) {
  const auto tree = contract::parse_json(json, {});
  return tree ? read_elicited(*tree) : std::nullopt;
}

std::optional<Elicited> read_elicited(const JsonValue& result) {
  const std::string* action = string_member(result, "action");
  if (action == nullptr) {
    return std::nullopt;
  }
  Elicited read;
  if (*action == "accept") {
    read.action = Elicited::Action::accept;
  } else if (*action == "decline") {
    read.action = Elicited::Action::decline;
  } else if (*action != "cancel") {
    return std::nullopt;
  }
  if (const JsonValue* content = object_member(result, "content"); content != nullptr) {
    read.content = *content;
  }
  return read;
}

tl::expected<JsonValue, ProtocolError> read_input_responses(Call& call) {
  const JsonValue* given = member(call.params(), "inputResponses");
  if (given == nullptr) {
    JsonValue none;
    none.kind = JsonValue::Kind::object;
    return none;
  }
  auto tree = contract::parse_json(given->text, {});
  if (!tree || tree->kind != JsonValue::Kind::object) {
    return tl::unexpected(ProtocolError{kInvalidParams, "\"inputResponses\" is an object"});
  }
  return std::move(*tree);
}

std::string form_members(const Call& call, std::string_view message, std::string_view schema) {
  // Before 2025-11-25 there was only one mode, and no word for it.
  return fmt::format(R"({}"message":{},"requestedSchema":{})",
                     call.revision() >= Revision::v2025_11_25 ? R"("mode":"form",)" : "", contract::quote_json(message),
                     schema);
}

void ask_client(const CallPtr& call, Ticker& ticker, std::string_view method, std::string_view members,
                std::chrono::seconds patience, Session::OnReply on_reply) {
  const bool first = call->session()->ask(call->id(), call->channel(), method, members,
                                          Session::Clock::now() + patience, std::move(on_reply));
  if (!first) {
    return;  // somebody looks after the session's questions already
  }
  ticker.every(std::chrono::seconds(1), [weak = std::weak_ptr(call->shared_session())] {
    const SessionPtr session = weak.lock();
    return session != nullptr && session->expire(Session::Clock::now());
  });
}

}  // namespace glovebox::mcp

#include "mcp/server.h"

#include <fmt/format.h>

#include <utility>

#include "base/utf8.h"
#include "contract/json_writer.h"

namespace glovebox::mcp {
namespace {

using contract::JsonValue;

constexpr std::size_t kMaxShownBytes = 120;

ProtocolError unknown_method(const std::string& method) {
  return {kMethodNotFound, "there is no method " + base::printable(method, kMaxShownBytes)};
}

// An id of another message, as it is written here.
std::string id_member(const JsonValue& params, std::string_view name) {
  const JsonValue* value = member(params, name);
  if (value == nullptr) {
    return "";
  }
  if (value->kind == JsonValue::Kind::string) {
    return contract::quote_json(value->text);
  }
  return value->kind == JsonValue::Kind::integer ? value->text : "";
}

}  // namespace

Server::Server(Offer offer, std::string version, Ticker& ticker)
    : offer_(std::move(offer)),
      info_(fmt::format(R"({{"name":"glovebox","title":"Glovebox","version":{}}})", contract::quote_json(version))),
      listeners_(ticker) {
  for (const Tool& tool : offer_.tools) {
    tools_[tool.name] = &tool;
  }
  for (const Prompt& prompt : offer_.prompts) {
    prompts_[prompt.name] = &prompt;
  }
  for (std::size_t index = 0; index < tool_lists_.size(); ++index) {
    std::string& list = tool_lists_[index];
    for (const Tool& tool : offer_.tools) {
      list += (list.empty() ? "" : ",") + listing_of(tool, static_cast<Revision>(index));
    }
    list = "\"tools\":[" + list + "]";
  }
}

Server::~Server() { listeners_.end_all(); }

const Server::Method* Server::find_method(std::string_view name, Era era) {
  static constexpr Method kMethods[] = {
      {"initialize", &Server::initialize, true, false},
      {"ping", &Server::ping, true, false},
      {"logging/setLevel", &Server::set_level, true, false},
      {"resources/subscribe", &Server::subscribe, true, false},
      {"resources/unsubscribe", &Server::unsubscribe, true, false},
      {"server/discover", &Server::discover, false, true},
      {"subscriptions/listen", &Server::listen, false, true},
      {"tools/list", &Server::list_tools, true, true},
      {"tools/call", &Server::call_tool, true, true},
      {"resources/list", &Server::list_resources, true, true},
      {"resources/templates/list", &Server::list_templates, true, true},
      {"resources/read", &Server::read_resource, true, true},
      {"prompts/list", &Server::list_prompts, true, true},
      {"prompts/get", &Server::get_prompt, true, true},
      {"completion/complete", &Server::complete, true, true},
  };
  for (const Method& method : kMethods) {
    if (method.name == name && (era == Era::handshake ? method.handshake : method.stateless)) {
      return &method;
    }
  }
  return nullptr;
}

Answer Server::refusal(const BadMessage& bad) { return {error_message(bad.id, bad.error), bad.error.code, true}; }

void Server::receive(Message message, Origin origin, std::optional<Era> era) {
  switch (message.kind) {
    case Message::Kind::notification:
      return notification(message, origin);
    case Message::Kind::response:
      if (origin.session != nullptr) {
        origin.session->reply(message);
      }
      return;
    case Message::Kind::request:
      break;
  }
  if (!era) {
    const bool modern = message.method == "server/discover" || message.method == "subscriptions/listen" ||
                        read_meta(message.params).revision.has_value();
    era = modern ? Era::stateless : Era::handshake;
  }
  request(std::move(message), std::move(origin), *era);
}

// What is not known is ignored, as JSON-RPC wants it.
void Server::notification(const Message& message, const Origin& origin) {
  if (message.method == "notifications/cancelled" && origin.session != nullptr) {
    if (const std::string id = id_member(message.params, "requestId"); !id.empty()) {
      origin.session->cancel(id);
    }
  }
}

void Server::request(Message message, Origin origin, Era era) {
  if (origin.cancel->fd() < 0) {
    return origin.channel->answer(
        refusal({message.id, {kInternalError, "too many requests are under way: there is no descriptor left"}}));
  }
  if (origin.session != nullptr) {
    const Session::Begin begun = origin.session->begin(message.id, origin.cancel);
    if (begun != Session::Begin::begun) {
      const bool twice = begun == Session::Begin::id_in_use;
      return origin.channel->answer(refusal(
          {message.id,
           {twice ? kInvalidRequest : kInternalError, twice ? "this id is in use by a request that has no answer yet"
                                                            : "too many requests wait for an answer"}}));
    }
  }
  RequestMeta meta = read_meta(message.params);
  CallPtr call;
  if (era == Era::stateless) {
    call = stateless_call(std::move(message), std::move(meta), std::move(origin));
  } else {
    const std::optional<Revision> revision = origin.session->revision();
    const ClientTraits client = origin.session->client();
    const bool early = !revision && message.method != "initialize" && message.method != "ping";
    call = std::make_shared<Call>(std::move(message), std::move(meta), revision.value_or(kNewestHandshake), client,
                                  std::move(origin), info_);
    if (early) {
      call->refuse({kInvalidRequest, "this connection begins with initialize, or every request names its revision"});
      return;
    }
  }
  if (call == nullptr) {
    return;
  }
  const Method* method = find_method(call->method(), era);
  if (method == nullptr) {
    return call->refuse(unknown_method(call->method()));
  }
  (this->*method->handler)(call);
}

CallPtr Server::stateless_call(Message message, RequestMeta meta, Origin origin) {
  const std::string asked = meta.revision.value_or("");
  const std::optional<Revision> revision = parse_revision(asked);
  const bool complete = meta.revision && meta.client;
  ClientTraits client = meta.client.value_or(ClientTraits());
  const auto call =
      std::make_shared<Call>(std::move(message), std::move(meta), kNewest, std::move(client), std::move(origin), info_);
  if (!complete) {
    call->refuse({kInvalidParams,
                  "\"_meta\" has to hold io.modelcontextprotocol/protocolVersion and "
                  "io.modelcontextprotocol/clientCapabilities"});
    return nullptr;
  }
  if (!revision || !is_stateless(*revision)) {
    call->refuse({kUnsupportedVersion, "this revision of the protocol is not spoken here",
                  fmt::format(R"({{"supported":{},"requested":{}}})", revision_list(), contract::quote_json(asked))});
    return nullptr;
  }
  return call;
}

}  // namespace glovebox::mcp

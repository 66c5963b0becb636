// What each method of the protocol does.
#include <fmt/format.h>

#include <utility>

#include "base/utf8.h"
#include "contract/json_writer.h"
#include "mcp/server.h"

namespace glovebox::mcp {
namespace {

using contract::JsonValue;

constexpr std::size_t kMaxShownNameBytes = 120;
constexpr std::size_t kMaxUriBytes = 8192;

std::string joined(const std::vector<std::string>& objects) {
  std::string list;
  for (const std::string& object : objects) {
    list += (list.empty() ? "" : ",") + object;
  }
  return list;
}

// Every list fits on one page, so any cursor is wrong.
bool refuse_cursor(const CallPtr& call) {
  if (member(call->params(), "cursor") == nullptr) {
    return false;
  }
  call->fail({kInvalidParams, "there is no such page"});
  return true;
}

ProtocolError missing(std::string_view name) { return {kInvalidParams, fmt::format("\"{}\" is missing", name)}; }

}  // namespace

void Server::initialize(const CallPtr& call) {
  const std::string* asked = string_member(call->params(), "protocolVersion");
  const JsonValue* capabilities = object_member(call->params(), "capabilities");
  if (asked == nullptr || capabilities == nullptr) {
    return call->fail(missing(asked == nullptr ? "protocolVersion" : "capabilities"));
  }
  const Revision revision = negotiate(*asked);
  ClientTraits client = read_capabilities(*capabilities);
  if (const JsonValue* info = object_member(call->params(), "clientInfo"); info != nullptr) {
    const std::string* name = string_member(*info, "name");
    client.name = name != nullptr ? base::printable(*name, kMaxShownNameBytes) : "";
  }
  if (!call->session()->open(revision, std::move(client))) {
    return call->refuse({kInvalidRequest, "the handshake has been made already"});
  }
  if (offer_.changes) {
    listeners_.watch(call->shared_session());
  }
  call->complete(fmt::format(R"("protocolVersion":"{}","capabilities":{{{}}},"serverInfo":{},"instructions":{})",
                             to_string(revision), capabilities_of(offer_, revision), info_,
                             contract::quote_json(offer_.instructions)));
}

void Server::discover(const CallPtr& call) {
  call->complete_cacheable(fmt::format(R"("supportedVersions":{},"capabilities":{{{}}},"instructions":{})",
                                       revision_list(), capabilities_of(offer_, call->revision()),
                                       contract::quote_json(offer_.instructions)));
}

void Server::ping(const CallPtr& call) { call->complete(""); }

void Server::set_level(const CallPtr& call) {
  if (!offer_.logging) {
    return call->refuse({kMethodNotFound, "this server sends no log messages"});
  }
  const std::string* name = string_member(call->params(), "level");
  const auto level = name != nullptr ? parse_log_level(*name) : std::nullopt;
  if (!level) {
    return call->fail({kInvalidParams,
                       "\"level\" is one of debug, info, notice, warning, error, critical, alert, "
                       "emergency"});
  }
  call->session()->set_log_level(*level);
  call->complete("");
}

void Server::list_tools(const CallPtr& call) {
  if (!refuse_cursor(call)) {
    call->complete_cacheable(tool_lists_[static_cast<std::size_t>(call->revision())]);
  }
}

void Server::call_tool(const CallPtr& call) {
  const std::string* name = string_member(call->params(), "name");
  if (name == nullptr) {
    return call->fail(missing("name"));
  }
  const auto tool = tools_.find(*name);
  if (tool == tools_.end()) {
    return call->fail({kInvalidParams, "there is no tool " + base::printable(*name, kMaxShownNameBytes)});
  }
  std::string arguments = "{}";
  for (contract::JsonMember& one : call->params().members) {
    if (one.key == "arguments") {
      arguments = std::move(one.value.text);
    }
  }
  if (!arguments.starts_with('{')) {
    return call->fail({kInvalidParams, "\"arguments\" is an object"});
  }
  tool->second->call(call, std::move(arguments));
}

void Server::list_resources(const CallPtr& call) {
  if (!offer_.read) {
    return call->refuse({kMethodNotFound, "this server has no resources"});
  }
  if (!refuse_cursor(call)) {
    call->complete_cacheable("\"resources\":[" + joined(offer_.resources) + "]");
  }
}

void Server::list_templates(const CallPtr& call) {
  if (!offer_.read) {
    return call->refuse({kMethodNotFound, "this server has no resources"});
  }
  if (!refuse_cursor(call)) {
    call->complete_cacheable("\"resourceTemplates\":[" + joined(offer_.templates) + "]");
  }
}

void Server::read_resource(const CallPtr& call) {
  if (!offer_.read) {
    return call->refuse({kMethodNotFound, "this server has no resources"});
  }
  const std::string* uri = string_member(call->params(), "uri");
  if (uri == nullptr || uri->size() > kMaxUriBytes) {
    return call->fail(missing("uri"));
  }
  if (!offer_.read(call, *uri)) {
    call->fail(resource_not_found(*call, *uri));
  }
}

void Server::subscribe(const CallPtr& call) {
  if (!offer_.changes) {
    return call->refuse({kMethodNotFound, "resources of this server do not change"});
  }
  const std::string* uri = string_member(call->params(), "uri");
  if (uri == nullptr || uri->size() > kMaxUriBytes) {
    return call->fail(missing("uri"));
  }
  if (!call->session()->subscribe(*uri)) {
    return call->fail({kInternalError, "this session has too many subscriptions"});
  }
  call->complete("");
}

void Server::unsubscribe(const CallPtr& call) {
  if (!offer_.changes) {
    return call->refuse({kMethodNotFound, "resources of this server do not change"});
  }
  const std::string* uri = string_member(call->params(), "uri");
  if (uri == nullptr) {
    return call->fail(missing("uri"));
  }
  call->session()->unsubscribe(*uri);
  call->complete("");
}

void Server::list_prompts(const CallPtr& call) {
  if (offer_.prompts.empty()) {
    return call->refuse({kMethodNotFound, "this server has no prompts"});
  }
  if (refuse_cursor(call)) {
    return;
  }
  std::vector<std::string> objects;
  for (const Prompt& prompt : offer_.prompts) {
    objects.push_back(prompt.listing);
  }
  call->complete_cacheable("\"prompts\":[" + joined(objects) + "]");
}

void Server::get_prompt(const CallPtr& call) {
  if (offer_.prompts.empty()) {
    return call->refuse({kMethodNotFound, "this server has no prompts"});
  }
  const std::string* name = string_member(call->params(), "name");
  const auto prompt = name != nullptr ? prompts_.find(*name) : prompts_.end();
  if (prompt == prompts_.end()) {
    return call->fail({kInvalidParams, "there is no such prompt"});
  }
  prompt->second->get(call);
}

void Server::complete(const CallPtr& call) {
  if (!offer_.complete) {
    return call->refuse({kMethodNotFound, "this server completes nothing"});
  }
  offer_.complete(call);
}

void Server::listen(const CallPtr& call) { listeners_.listen(call, offer_.changes); }

ProtocolError resource_not_found(const Call& call, const std::string& uri) {
  constexpr int kOlderCode = -32002;
  return {call.stateless() ? kInvalidParams : kOlderCode, "there is no such resource",
          fmt::format(R"({{"uri":{}}})", contract::quote_json(uri))};
}

}  // namespace glovebox::mcp

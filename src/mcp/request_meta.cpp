#include "mcp/request_meta.h"

#include <array>

#include "base/utf8.h"
#include "contract/json_writer.h"
#include "mcp/message.h"

namespace glovebox::mcp {
namespace {

using contract::JsonValue;

constexpr std::size_t kMaxTokenBytes = 256;
constexpr std::size_t kMaxNameBytes = 128;
constexpr std::array<std::string_view, 8> kLevels = {"debug", "info",     "notice", "warning",
                                                     "error", "critical", "alert",  "emergency"};

std::string token_text(const JsonValue* value) {
  if (value == nullptr || value->text.size() > kMaxTokenBytes) {
    return "";
  }
  if (value->kind == JsonValue::Kind::integer || value->kind == JsonValue::Kind::real) {
    return value->text;
  }
  return value->kind == JsonValue::Kind::string ? contract::quote_json(value->text) : "";
}

}  // namespace

std::optional<LogLevel> parse_log_level(std::string_view name) {
  for (std::size_t index = 0; index < kLevels.size(); ++index) {
    if (kLevels[index] == name) {
      return static_cast<LogLevel>(index);
    }
  }
  return std::nullopt;
}

std::string_view to_string(LogLevel level) { return kLevels[static_cast<std::size_t>(level)]; }

ClientTraits read_capabilities(const JsonValue& capabilities) {
  ClientTraits client;
  if (const JsonValue* elicitation = object_member(capabilities, "elicitation"); elicitation != nullptr) {
    // An empty object is the older spelling of "forms".
    client.elicitation = elicitation->members.empty() || object_member(*elicitation, "form") != nullptr;
  }
  client.sampling = object_member(capabilities, "sampling") != nullptr;
  client.roots = object_member(capabilities, "roots") != nullptr;
  return client;
}

RequestMeta read_meta(const JsonValue& params) {
  RequestMeta read;
  const JsonValue* meta = object_member(params, "_meta");
  if (meta == nullptr) {
    return read;
  }
  if (const std::string* revision = string_member(*meta, "io.modelcontextprotocol/protocolVersion");
      revision != nullptr) {
    read.revision = *revision;
  }
  if (const JsonValue* client = object_member(*meta, "io.modelcontextprotocol/clientCapabilities"); client != nullptr) {
    read.client = read_capabilities(*client);
    if (const JsonValue* info = object_member(*meta, "io.modelcontextprotocol/clientInfo"); info != nullptr) {
      const std::string* name = string_member(*info, "name");
      read.client->name = name != nullptr ? base::printable(*name, kMaxNameBytes) : "";
    }
  }
  if (const std::string* level = string_member(*meta, "io.modelcontextprotocol/logLevel"); level != nullptr) {
    read.log_level = parse_log_level(*level);
  }
  read.progress_token = token_text(member(*meta, "progressToken"));
  return read;
}

}  // namespace glovebox::mcp

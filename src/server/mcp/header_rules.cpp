#include "server/mcp/header_rules.h"

#include "contract/base64.h"
#include "mcp/request_meta.h"
#include "mcp/revision.h"

namespace glovebox::server {
namespace {

using mcp::ProtocolError;

constexpr std::string_view kVersionHeader = "MCP-Protocol-Version";

ProtocolError mismatch(std::string_view header, std::string_view why) {
  return {mcp::kHeaderMismatch, std::string(header) + ": " + std::string(why)};
}

// The member of the body that Mcp-Name repeats; empty: the method has none.
std::string_view named_by(std::string_view method) {
  if (method == "tools/call" || method == "prompts/get") {
    return "name";
  }
  return method == "resources/read" ? "uri" : "";
}

}  // namespace

mcp::Era era_of(const http::Headers& headers, const mcp::Message& message) {
  const std::string_view header = headers.get(kVersionHeader);
  if (const auto revision = mcp::parse_revision(header); revision) {
    return mcp::is_stateless(*revision) ? mcp::Era::stateless : mcp::Era::handshake;
  }
  // No header, or one that nobody knows.
  const bool modern =
      !header.empty() || mcp::read_meta(message.params).revision.has_value() || message.method == "server/discover";
  return modern ? mcp::Era::stateless : mcp::Era::handshake;
}

std::optional<std::string> unwrap_header(std::string_view value) {
  constexpr std::string_view kBegin = "=?base64?";
  constexpr std::string_view kEnd = "?=";
  if (value.size() < kBegin.size() + kEnd.size() || !value.starts_with(kBegin) || !value.ends_with(kEnd)) {
    return std::string(value);
  }
  value.remove_prefix(kBegin.size());
  value.remove_suffix(kEnd.size());
  return contract::decode_base64(value);
}

std::optional<ProtocolError> check_stateless_headers(const http::Headers& headers, const mcp::Message& message) {
  const auto versions = headers.all(kVersionHeader);
  if (versions.size() != 1) {
    return mismatch(kVersionHeader, "has to be there, once");
  }
  const mcp::RequestMeta meta = mcp::read_meta(message.params);
  if (!meta.revision || !meta.client) {
    return std::nullopt;  // the body is wrong by itself, and the server says so
  }
  if (versions.front() != *meta.revision) {
    return mismatch(kVersionHeader, "the body names another revision");
  }
  if (!mcp::parse_revision(*meta.revision)) {
    return std::nullopt;  // likewise
  }
  const auto methods = headers.all("Mcp-Method");
  if (methods.size() != 1 || methods.front() != message.method) {
    return mismatch("Mcp-Method", "has to be the method of the body");
  }
  const std::string_view member = named_by(message.method);
  const std::string* name = member.empty() ? nullptr : mcp::string_member(message.params, member);
  if (name == nullptr) {
    return std::nullopt;
  }
  const auto names = headers.all("Mcp-Name");
  if (names.size() != 1 || unwrap_header(names.front()) != *name) {
    return mismatch("Mcp-Name", "has to be the name in the body");
  }
  return std::nullopt;
}

}  // namespace glovebox::server

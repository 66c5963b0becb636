// JSON-RPC 2.0 as MCP speaks it: one message as text, and what it says.
//
// Text comes from strangers, so it is bounded in bytes, depth and values before it is believed (contract/json_parse.h).
// What MCP leaves to a tool ("arguments") or to the asker ("inputResponses", "result", "error") stays compact JSON text
// and is read by whoever knows its shape.
//
// Writing goes by members: an object's inside without its braces, so that a result can be completed by those who know
// the revision that it is sent in.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "contract/json_parse.h"

namespace glovebox::mcp {

inline constexpr std::size_t kMaxMessageBytes = std::size_t{96} << 20U;

// Of JSON-RPC, and of MCP's revision 2026-07-28.
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kMissingCapability = -32021;
inline constexpr int kUnsupportedVersion = -32022;

struct ProtocolError {
  int code = kInternalError;
  std::string message;
  std::string data{};  // JSON text; empty: none
  bool operator==(const ProtocolError&) const = default;
};

struct Message {
  enum class Kind { request, notification, response };

  Kind kind = Kind::notification;
  std::string id;      // as JSON: 7 or "seven"; empty for a notification
  std::string method;  // empty for a response
  contract::JsonValue params;
  std::string result;  // JSON text of a response; empty: it is an error
  std::string error;
};

// What is wrong with a text that is no message, and whom to tell: the id if it could be read, else null.
struct BadMessage {
  std::string id = "null";
  ProtocolError error;
};

[[nodiscard]] tl::expected<Message, BadMessage> parse_message(std::string_view text,
                                                              std::size_t max_bytes = kMaxMessageBytes);

// {"jsonrpc":"2.0","id":…,"result":{…}}
[[nodiscard]] std::string result_message(std::string_view id, std::string_view members);
[[nodiscard]] std::string error_message(std::string_view id, const ProtocolError& error);
[[nodiscard]] std::string notification_message(std::string_view method, std::string_view members);
[[nodiscard]] std::string request_message(std::string_view id, std::string_view method, std::string_view members);

// Looking into a tree. Null: not there, or not of that kind.
[[nodiscard]] const contract::JsonValue* member(const contract::JsonValue& object, std::string_view name);
[[nodiscard]] const contract::JsonValue* object_member(const contract::JsonValue& object, std::string_view name);
[[nodiscard]] const std::string* string_member(const contract::JsonValue& object, std::string_view name);
[[nodiscard]] bool is_true(const contract::JsonValue* value);

}  // namespace glovebox::mcp

#include "mcp/message.h"

#include <fmt/format.h>

#include "base/utf8.h"
#include "contract/json_writer.h"

namespace glovebox::mcp {
namespace {

using contract::JsonValue;
using Kind = JsonValue::Kind;

constexpr std::size_t kMaxIdBytes = 256;
constexpr std::size_t kMaxMethodBytes = 256;

tl::unexpected<BadMessage> bad(int code, std::string message, std::string id = "null") {
  return tl::unexpected(BadMessage{std::move(id), {code, std::move(message)}});
}

// An id of ours to answer to: a string or a whole number. Empty: neither.
std::string id_text(const JsonValue& value) {
  if (value.kind == Kind::integer) {
    return value.text;
  }
  if (value.kind == Kind::string && value.text.size() <= kMaxIdBytes) {
    return contract::quote_json(value.text);
  }
  return "";
}

}  // namespace

const JsonValue* member(const JsonValue& object, std::string_view name) {
  if (object.kind != Kind::object) {
    return nullptr;
  }
  for (const contract::JsonMember& one : object.members) {
    if (one.key == name) {
      return &one.value;
    }
  }
  return nullptr;
}

const JsonValue* object_member(const JsonValue& object, std::string_view name) {
  const JsonValue* found = member(object, name);
  return found != nullptr && found->kind == Kind::object ? found : nullptr;
}

const std::string* string_member(const JsonValue& object, std::string_view name) {
  const JsonValue* found = member(object, name);
  return found != nullptr && found->kind == Kind::string ? &found->text : nullptr;
}

bool is_true(const JsonValue* value) {
  return value != nullptr && value->kind == Kind::boolean && value->text == "true";
}

tl::expected<Message, BadMessage> parse_message(std::string_view text, std::size_t max_bytes) {
  static constexpr std::string_view kFreeForm[] = {"params.arguments", "params.inputResponses", "result", "error"};
  contract::JsonOptions options;
  options.free_form = kFreeForm;
  options.bounds.max_bytes = max_bytes;
  auto document = contract::parse_json(text, options);
  if (!document) {
    const base::Error& error = document.error();
    const bool syntax = error.message.starts_with("not valid JSON");
    return bad(syntax ? kParseError : kInvalidRequest, base::cause_of(error));
  }
  if (document->kind != Kind::object) {
    return bad(kInvalidRequest, "a message is one JSON object");
  }
  Message message;
  const JsonValue* id = member(*document, "id");
  if (id != nullptr) {
    message.id = id_text(*id);
    if (message.id.empty()) {
      return bad(kInvalidRequest, fmt::format("an id is a whole number, or a string of at most {} bytes", kMaxIdBytes));
    }
  }
  const std::string shown_id = message.id.empty() ? "null" : message.id;
  if (const std::string* version = string_member(*document, "jsonrpc"); version == nullptr || *version != "2.0") {
    return bad(kInvalidRequest, "\"jsonrpc\" has to be \"2.0\"", shown_id);
  }
  const JsonValue* method = member(*document, "method");
  const JsonValue* result = member(*document, "result");
  const JsonValue* error = member(*document, "error");
  if (method == nullptr) {
    if (id == nullptr || (result == nullptr) == (error == nullptr)) {
      return bad(kInvalidRequest, "this is no request, no notification and no response", shown_id);
    }
    message.kind = Message::Kind::response;
    message.result = result != nullptr ? result->text : "";
    message.error = error != nullptr ? error->text : "";
    return message;
  }
  if (method->kind != Kind::string || method->text.empty() || method->text.size() > kMaxMethodBytes ||
      result != nullptr || error != nullptr) {
    return bad(kInvalidRequest, "this is no request, no notification and no response", shown_id);
  }
  message.kind = id == nullptr ? Message::Kind::notification : Message::Kind::request;
  message.method = method->text;
  for (contract::JsonMember& one : document->members) {
    if (one.key == "params") {
      message.params = std::move(one.value);
    }
  }
  if (message.params.kind != Kind::object && message.params.kind != Kind::null) {
    return bad(kInvalidParams, "\"params\" is an object", shown_id);
  }
  return message;
}

std::string result_message(std::string_view id, std::string_view members) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{{}}}}})", id, members);
}

std::string error_message(std::string_view id, const ProtocolError& error) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"error":{{"code":{},"message":{}{}{}}}}})", id, error.code,
                     contract::quote_json(error.message), error.data.empty() ? "" : ",\"data\":", error.data);
}

std::string notification_message(std::string_view method, std::string_view members) {
  return fmt::format(R"({{"jsonrpc":"2.0","method":"{}","params":{{{}}}}})", method, members);
}

std::string request_message(std::string_view id, std::string_view method, std::string_view members) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"{}","params":{{{}}}}})", id, method, members);
}

}  // namespace glovebox::mcp

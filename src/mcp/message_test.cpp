#include "mcp/message.h"

#include <gtest/gtest.h>

namespace glovebox::mcp {
namespace {

Message parsed(std::string_view text) {
  auto message = parse_message(text);
  EXPECT_TRUE(message) << text << ": " << (message ? "" : message.error().error.message);
  return message ? std::move(*message) : Message();
}

// "-32600 for 7"
std::string refusal(std::string_view text) {
  const auto message = parse_message(text);
  return message ? "accepted" : std::to_string(message.error().error.code) + " for " + message.error().id;
}

TEST(Message, ARequestHasAnIdAndAMethod) {
  const Message message = parsed(R"({"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"a":1}})");
  EXPECT_EQ(message.kind, Message::Kind::request);
  EXPECT_EQ(message.id, "7");
  EXPECT_EQ(message.method, "tools/list");
  EXPECT_NE(member(message.params, "a"), nullptr);
}

TEST(Message, IdsKeepTheirType) {
  EXPECT_EQ(parsed(R"({"jsonrpc":"2.0","id":"7","method":"ping"})").id, "\"7\"");
  EXPECT_EQ(parsed(R"({"jsonrpc":"2.0","id":-3,"method":"ping"})").id, "-3");
}

TEST(Message, WithoutAnIdItIsANotification) {
  EXPECT_EQ(parsed(R"({"jsonrpc":"2.0","method":"notifications/initialized"})").kind, Message::Kind::notification);
}

TEST(Message, AResponseHasAResultOrAnError) {
  const Message good = parsed(R"({"jsonrpc":"2.0","id":"a","result":{"x": 1}})");
  EXPECT_EQ(good.kind, Message::Kind::response);
  EXPECT_EQ(good.result, R"({"x":1})");
  EXPECT_EQ(parsed(R"({"jsonrpc":"2.0","id":1,"error":{"code":1}})").error, R"({"code":1})");
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","id":1,"result":{},"error":{}})"), "-32600 for 1");
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","id":1})"), "-32600 for 1");
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","result":{}})"), "-32600 for null");
}

TEST(Message, ArgumentsStayAsTheyWereWritten) {
  const Message message =
      parsed(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"arguments":{"n": 1267650600228229401496703205376}}})");
  EXPECT_EQ(member(message.params, "arguments")->text, R"({"n":1267650600228229401496703205376})");
}

TEST(Message, WhatIsNoJsonIsAParseError) {
  EXPECT_EQ(refusal("{"), "-32700 for null");
  EXPECT_EQ(refusal(""), "-32700 for null");
  EXPECT_EQ(refusal("\xff"), "-32700 for null");
  EXPECT_EQ(refusal("{} {}"), "-32700 for null");
}

TEST(Message, WhatIsNoMessageIsAnInvalidRequest) {
  EXPECT_EQ(refusal("[]"), "-32600 for null");
  EXPECT_EQ(refusal("7"), "-32600 for null");
  EXPECT_EQ(refusal(R"({"id":1,"method":"ping"})"), "-32600 for 1");
  EXPECT_EQ(refusal(R"({"jsonrpc":"1.0","id":1,"method":"ping"})"), "-32600 for 1");
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","id":null,"method":"ping"})"), "-32600 for null");
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})"), "-32600 for null");
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","id":[1],"method":"ping"})"), "-32600 for null");
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","id":1,"method":5})"), "-32600 for 1");
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","id":1,"method":""})"), "-32600 for 1");
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","id":1,"id":2,"method":"ping"})"), "-32600 for null");
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","id":")" + std::string(300, 'x') + R"(","method":"ping"})"), "-32600 for null");
}

TEST(Message, ParamsAreAnObject) {
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[1]})"), "-32602 for 1");
}

TEST(Message, DepthAndSizeAreBounded) {
  const std::string deep = std::string(200, '[') + std::string(200, ']');
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":)" + deep + "}}"), "-32600 for null");
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"arguments":)" + deep + "}}"), "-32600 for null");
  const auto message = parse_message(R"({"jsonrpc":"2.0","id":1,"method":"ping"})", 10);
  ASSERT_FALSE(message);
  EXPECT_EQ(message.error().error.code, kInvalidRequest);
}

TEST(Message, WhatIsWrittenIsOneLineOfJson) {
  const std::string error = error_message("1", {kInternalError, "a \"quoted\"\nline", R"({"x":1})"});
  EXPECT_EQ(error, R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"a \"quoted\"\nline","data":{"x":1}}})");
  EXPECT_EQ(error.find('\n'), std::string::npos);
  EXPECT_EQ(result_message("\"a\"", ""), R"({"jsonrpc":"2.0","id":"a","result":{}})");
  EXPECT_EQ(notification_message("n", "\"a\":1"), R"({"jsonrpc":"2.0","method":"n","params":{"a":1}})");
  EXPECT_EQ(request_message("1", "m", ""), R"({"jsonrpc":"2.0","id":1,"method":"m","params":{}})");
}

}  // namespace
}  // namespace glovebox::mcp

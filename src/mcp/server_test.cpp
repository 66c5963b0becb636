#include "mcp/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp/batch.h"
#include "mcp/test_support.h"

namespace glovebox::mcp {
namespace {

using testing::HasSubstr;
using testing::Not;

class McpServer : public testing::Test {
 protected:
  static Offer offer() {
    Offer offer;
    Tool echo;
    echo.name = "echo";
    echo.title = "Echo";
    echo.description = "Says what it was given";
    echo.input_schema = "{\"type\":\n\"object\"}";
    echo.output_schema = R"({"type":"object"})";
    echo.annotations = R"({"readOnlyHint":true})";
    echo.call = [](const CallPtr& call, const std::string& arguments) {
      call->progress(1, 2, "half");
      call->complete("\"content\":[],\"echo\":" + arguments);
    };
    offer.tools.push_back(echo);
    Tool slow = echo;
    slow.name = "slow";
    slow.call = [](const CallPtr& call, const std::string& /*arguments*/) { waiting_ = call; };
    offer.tools.push_back(slow);
    Tool forgetful = echo;
    forgetful.name = "forgetful";
    forgetful.call = [](const CallPtr& /*call*/, const std::string& /*arguments*/) {};
    offer.tools.push_back(forgetful);
    offer.instructions = "be careful";
    return offer;
  }
  void TearDown() override {
    waiting_.reset();
    ticker_.stop();
  }

  static inline CallPtr waiting_;
  Ticker ticker_;
  Server server_{offer(), "1.2.3", ticker_};
  FakeClient client_{server_};
};

TEST_F(McpServer, TheHandshakeTellsWhoWeAreAndWhatWeCan) {
  client_.initialize("2025-06-18");
  const std::string answer = client_.channel->answers.at(0).message;
  EXPECT_THAT(answer, HasSubstr(R"("protocolVersion":"2025-06-18")"));
  EXPECT_THAT(answer, HasSubstr(R"("serverInfo":{"name":"glovebox","title":"Glovebox","version":"1.2.3"})"));
  EXPECT_THAT(answer, HasSubstr(R"("capabilities":{"tools":{}})"));
  EXPECT_THAT(answer, HasSubstr(R"("instructions":"be careful")"));
}

TEST_F(McpServer, AnUnknownRevisionIsAnsweredWithTheNewestThatHasAHandshake) {
  client_.initialize("1999-01-01");
  EXPECT_THAT(client_.channel->answers.at(0).message, HasSubstr(R"("protocolVersion":"2025-11-25")"));
}

TEST_F(McpServer, NothingButAPingComesBeforeTheHandshake) {
  EXPECT_THAT(client_.ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"), HasSubstr("-32600"));
  EXPECT_EQ(client_.ask(R"({"jsonrpc":"2.0","id":2,"method":"ping"})"), R"({"jsonrpc":"2.0","id":2,"result":{}})");
}

TEST_F(McpServer, TheHandshakeIsMadeOnce) {
  client_.initialize();
  client_.initialize();
  EXPECT_THAT(client_.channel->answers.at(0).message, HasSubstr("-32600"));
}

TEST_F(McpServer, UnknownMethodsAndToolsHaveTheirOwnCodes) {
  client_.initialize();
  EXPECT_THAT(client_.ask(R"({"jsonrpc":"2.0","id":1,"method":"no/such"})"), HasSubstr("-32601"));
  EXPECT_THAT(client_.ask(R"({"jsonrpc":"2.0","id":2,"method":"prompts/list"})"), HasSubstr("-32601"));
  EXPECT_THAT(client_.ask(R"({"jsonrpc":"2.0","id":3,"method":"server/discover"})"), HasSubstr("-32602"));
  EXPECT_THAT(client_.ask(R"({"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"no"}})"),
              HasSubstr("-32602"));
  EXPECT_THAT(client_.ask(R"({"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"cursor":"x"}})"),
              HasSubstr("-32602"));
}

TEST_F(McpServer, MissingArgumentsAreAnEmptyObject) {
  client_.initialize();
  EXPECT_THAT(client_.ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}})"),
              HasSubstr(R"("echo":{})"));
  EXPECT_THAT(client_.ask(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":[]}})"),
              HasSubstr("-32602"));
}

TEST_F(McpServer, ToolsAreListedInTheSpellingOfTheRevision) {
  client_.initialize("2024-11-05");
  const std::string old = client_.ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  EXPECT_THAT(old, HasSubstr(R"("inputSchema":{"type":"object"})"));
  EXPECT_THAT(old, Not(HasSubstr("annotations")));
  EXPECT_THAT(old, Not(HasSubstr("outputSchema")));
  FakeClient newer(server_);
  newer.initialize("2025-11-25");
  const std::string list = newer.ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  EXPECT_THAT(list, HasSubstr(R"("annotations":{"readOnlyHint":true})"));
  EXPECT_THAT(list, HasSubstr(R"("outputSchema")"));
  EXPECT_THAT(list, Not(HasSubstr("resultType")));
}

TEST_F(McpServer, AStatelessRequestNeedsNoHandshake) {
  const std::string answer =
      client_.ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{)" + modern_meta() + "}}");
  EXPECT_THAT(answer, HasSubstr(R"("resultType":"complete")"));
  EXPECT_THAT(answer, HasSubstr(R"("ttlMs":)"));
  EXPECT_THAT(answer, HasSubstr(R"("io.modelcontextprotocol/serverInfo")"));
}

TEST_F(McpServer, AStatelessRequestNamesARevisionThatIsSpokenHere) {
  const std::string answer = client_.ask(
      R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{)"
      R"("io.modelcontextprotocol/protocolVersion":"v9","io.modelcontextprotocol/clientCapabilities":{}}}})");
  EXPECT_THAT(answer, HasSubstr("-32022"));
  EXPECT_THAT(answer, HasSubstr(R"("requested":"v9")"));
  EXPECT_THAT(client_.ask(R"({"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{)"
                          R"("io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})"),
              HasSubstr("-32602"));
}

TEST_F(McpServer, TheErasHaveTheirOwnMethods) {
  for (const char* method : {"initialize", "ping", "logging/setLevel", "resources/subscribe"}) {
    EXPECT_THAT(client_.ask(R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) + R"(","params":{)" +
                            modern_meta() + "}}"),
                HasSubstr("-32601"))
        << method;
  }
}

TEST_F(McpServer, ProgressComesBeforeTheAnswerAndOnlyIfItIsWanted) {
  client_.initialize();
  (void)client_.ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}})");
  EXPECT_TRUE(client_.channel->sent.empty());
  (void)client_.ask(
      R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","_meta":{"progressToken":"t"}}})");
  EXPECT_EQ(
      client_.channel->sent,
      std::vector<std::string>{
          R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1,"total":2,"message":"half"}})"});
}

TEST_F(McpServer, ACancelledRequestIsStoppedAndNotAnswered) {
  client_.initialize();
  EXPECT_EQ(client_.ask(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"slow"}})"), "");
  const auto channel = client_.channel;
  const Token token = client_.token;
  (void)client_.ask(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"7"}})");
  EXPECT_FALSE(token->is_cancelled()) << "a string is another id";
  (void)client_.ask(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})");
  EXPECT_TRUE(token->is_cancelled());
  waiting_->complete("");
  EXPECT_TRUE(channel->answers.empty());
  EXPECT_EQ(channel->unanswered, 1);
}

TEST_F(McpServer, AnIdInUseIsRefused) {
  client_.initialize();
  (void)client_.ask(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"slow"}})");
  EXPECT_THAT(client_.ask(R"({"jsonrpc":"2.0","id":7,"method":"ping"})"), HasSubstr("-32600"));
}

TEST_F(McpServer, ACallThatIsForgottenIsAnswered) {
  client_.initialize();
  EXPECT_THAT(client_.ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forgetful"}})"),
              HasSubstr("-32603"));
}

TEST_F(McpServer, ListeningIsAcknowledgedFirstAndEndsWithTheServer) {
  EXPECT_EQ(client_.ask(R"({"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{)" + modern_meta() +
                        R"(,"notifications":{"toolsListChanged":true}}})"),
            "");
  const auto channel = client_.channel;
  ASSERT_EQ(channel->sent.size(), 1U);
  EXPECT_THAT(channel->sent[0], HasSubstr("notifications/subscriptions/acknowledged"));
  EXPECT_THAT(channel->sent[0], HasSubstr(R"("io.modelcontextprotocol/subscriptionId":"s")"));
  server_.listeners().announce(News::tools);
  EXPECT_EQ(channel->sent.size(), 1U) << "this server has no such news, so nobody was promised any";
  server_.listeners().end_all();
  EXPECT_EQ(channel->answers.size(), 1U);
}

TEST_F(McpServer, ABatchIsAnsweredInOnePieceWhenItsLastRequestIsDone) {
  client_.initialize("2025-03-26");
  EXPECT_TRUE(takes_batches(*client_.session));
  Origin origin;
  const auto channel = std::make_shared<FakeChannel>();
  origin.session = client_.session;
  origin.channel = channel;
  EXPECT_TRUE(
      receive_batch(server_,
                    R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/call",)"
                    R"("params":{"name":"slow"}},{"jsonrpc":"2.0","method":"n"},5])",
                    origin));
  EXPECT_TRUE(channel->answers.empty());
  waiting_->complete("");
  ASSERT_EQ(channel->answers.size(), 1U);
  EXPECT_THAT(channel->answers[0].message, HasSubstr(R"({"jsonrpc":"2.0","id":1,"result":{}})"));
  EXPECT_THAT(channel->answers[0].message, HasSubstr(R"({"jsonrpc":"2.0","id":2,"result":{}})"));
  EXPECT_THAT(channel->answers[0].message, HasSubstr("-32600"));
  EXPECT_FALSE(receive_batch(server_, R"([{"jsonrpc":"2.0","method":"n"}])", origin));
  EXPECT_EQ(channel->answers.size(), 1U);
  EXPECT_TRUE(receive_batch(server_, "[]", origin));
  EXPECT_EQ(channel->answers.size(), 2U);
}

}  // namespace
}  // namespace glovebox::mcp

#include "mcp/session.h"

#include <gtest/gtest.h>

#include <vector>

#include "mcp/test_support.h"

namespace glovebox::mcp {
namespace {

using std::chrono::seconds;

Token token() { return std::make_shared<const engine::CancelToken>(); }

TEST(Session, TheHandshakeIsMadeOnce) {
  Session session;
  EXPECT_FALSE(session.revision());
  EXPECT_TRUE(session.open(Revision::v2025_06_18, {}));
  EXPECT_FALSE(session.open(Revision::v2025_11_25, {}));
  EXPECT_EQ(session.revision(), Revision::v2025_06_18);
}

TEST(Session, AnIdIsInUseUntilItIsAnswered) {
  Session session;
  EXPECT_EQ(session.begin("1", token()), Session::Begin::begun);
  EXPECT_EQ(session.begin("1", token()), Session::Begin::id_in_use);
  EXPECT_FALSE(session.end("1"));
  EXPECT_EQ(session.begin("1", token()), Session::Begin::begun);
}

TEST(Session, CancellingStopsTheRequestAndItsAnswer) {
  Session session;
  const Token mine = token();
  ASSERT_EQ(session.begin("1", mine), Session::Begin::begun);
  session.cancel("2");
  EXPECT_FALSE(mine->is_cancelled());
  session.cancel("1");
  EXPECT_TRUE(mine->is_cancelled());
  EXPECT_TRUE(session.end("1"));
}

TEST(Session, AQuestionIsAnsweredOnce) {
  Session session;
  const auto channel = std::make_shared<FakeChannel>();
  std::vector<std::string> replies;
  session.ask("1", channel, "elicitation/create", "", Session::Clock::now() + seconds(60),
              [&](const Reply& reply) { replies.push_back(reply.result + reply.error); });
  const auto asked = parse_message(channel->sent.at(0));
  ASSERT_TRUE(asked);
  Message reply;
  reply.kind = Message::Kind::response;
  reply.id = "\"somebody else's\"";
  reply.result = "{}";
  session.reply(reply);
  EXPECT_TRUE(replies.empty());
  reply.id = asked->id;
  session.reply(reply);
  session.reply(reply);
  EXPECT_EQ(replies, std::vector<std::string>{"{}"});
}

TEST(Session, AQuestionThatNobodyAnswersEnds) {
  Session session;
  const auto channel = std::make_shared<FakeChannel>();
  int replies = 0;
  const auto now = Session::Clock::now();
  session.ask("1", channel, "elicitation/create", "", now + seconds(60), [&](const Reply& reply) {
    ++replies;
    EXPECT_FALSE(reply.error.empty());
  });
  EXPECT_TRUE(session.expire(now));
  EXPECT_EQ(replies, 0);
  EXPECT_FALSE(session.expire(now + seconds(61)));
  EXPECT_EQ(replies, 1);
}

TEST(Session, CancellingARequestEndsItsQuestion) {
  Session session;
  const auto channel = std::make_shared<FakeChannel>();
  ASSERT_EQ(session.begin("1", token()), Session::Begin::begun);
  ASSERT_EQ(session.begin("2", token()), Session::Begin::begun);
  int replies = 0;
  const auto ask = [&](const std::string& request) {
    return session.ask(request, channel, "elicitation/create", "", Session::Clock::now() + seconds(60),
                       [&](const Reply& reply) { replies += reply.error.empty() ? 0 : 1; });
  };
  EXPECT_TRUE(ask("1"));
  EXPECT_FALSE(ask("2")) << "one look at the clock serves all questions";
  session.cancel("1");
  EXPECT_EQ(replies, 1);
  session.cancel("1");
  EXPECT_EQ(replies, 1);
}

TEST(Session, AClientThatGoesAwayAnswersNothingAnyMore) {
  Session session;
  const auto channel = std::make_shared<FakeChannel>();
  int replies = 0;
  session.ask("1", channel, "elicitation/create", "", Session::Clock::now() + seconds(60),
              [&](const Reply& /*reply*/) { ++replies; });
  session.cancel_all();
  EXPECT_EQ(replies, 1);
}

}  // namespace
}  // namespace glovebox::mcp

#include "server/mcp/mcp_sessions.h"

#include <gtest/gtest.h>

#include "server/mcp/header_rules.h"

namespace glovebox::server {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr auto kNow = McpSessions::Clock::time_point(hours(10));

Identity key(std::string tenant, std::string id) {
  Identity identity;
  identity.tenant = std::move(tenant);
  identity.key_id = std::move(id);
  return identity;
}

TEST(McpSessions, ASessionBelongsToTheKeyThatMadeIt) {
  McpSessions sessions;
  const auto made = sessions.add(key("a", "k1"), kNow);
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(sessions.find(made->id, key("a", "k1"), kNow), made);
  EXPECT_EQ(sessions.find(made->id, key("a", "k2"), kNow), nullptr);
  EXPECT_EQ(sessions.find(made->id, key("b", "k1"), kNow), nullptr);
  EXPECT_FALSE(sessions.remove(made->id, key("b", "k1")));
  EXPECT_TRUE(sessions.remove(made->id, key("a", "k1")));
  EXPECT_EQ(sessions.find(made->id, key("a", "k1"), kNow), nullptr);
}

TEST(McpSessions, OneThatNobodyUsesIsForgotten) {
  McpSessions sessions;
  const auto made = sessions.add(key("a", "k"), kNow);
  EXPECT_NE(sessions.find(made->id, key("a", "k"), kNow + seconds(3599)), nullptr);
  EXPECT_NE(sessions.find(made->id, key("a", "k"), kNow + seconds(7000)), nullptr) << "each use counts";
  EXPECT_EQ(sessions.find(made->id, key("a", "k"), kNow + seconds(10'700)), nullptr);
}

TEST(McpSessions, ATenantWithTooManyMakesRoomForItselfAndForNobodyElse) {
  McpSessions sessions;
  const auto other = sessions.add(key("quiet", "k"), kNow);
  std::vector<McpSessionPtr> made;
  for (int count = 0; count < 256; ++count) {
    made.push_back(sessions.add(key("busy", "k"), kNow + seconds(1)));
    ASSERT_NE(made.back(), nullptr);
  }
  EXPECT_EQ(sessions.add(key("busy", "k"), kNow + seconds(2)), nullptr) << "all of them are in use";
  EXPECT_NE(sessions.add(key("busy", "k"), kNow + seconds(60)), nullptr);
  EXPECT_NE(sessions.find(other->id, key("quiet", "k"), kNow + seconds(60)), nullptr);
  EXPECT_NE(sessions.add(key("new", "k"), kNow + seconds(2)), nullptr);
}

TEST(McpSessions, CancelsWhatRunsInASessionThatEnds) {
  McpSessions sessions;
  const auto made = sessions.add(key("a", "k"), kNow);
  const auto token = std::make_shared<const engine::CancelToken>();
  ASSERT_EQ(made->session->begin("1", token), mcp::Session::Begin::begun);
  sessions.end_news();
  EXPECT_FALSE(token->is_cancelled()) << "a draining service lets it finish";
  EXPECT_TRUE(sessions.remove(made->id, key("a", "k")));
  EXPECT_TRUE(token->is_cancelled());
}

TEST(McpEventId, IsAStreamAndANumber) {
  const auto id = parse_event_id("3-17");
  ASSERT_TRUE(id);
  EXPECT_EQ(id->stream, 3U);
  EXPECT_EQ(id->sequence, 17U);
  for (const char* text : {"", "3", "-", "3-", "-3", "a-1", "1-b", "1-2-3", "99999999999999999999-1", "+1-1", " 1-1"}) {
    EXPECT_FALSE(parse_event_id(text)) << text;
  }
}

TEST(McpHeaders, AWrappedValueIsUnwrappedStrictly) {
  EXPECT_EQ(unwrap_header("plain"), "plain");
  EXPECT_EQ(unwrap_header("=?base64?SGVsbG8=?="), "Hello");
  EXPECT_EQ(unwrap_header("=?base64?SGVsbG8="), "=?base64?SGVsbG8=") << "without its end it means itself";
  EXPECT_FALSE(unwrap_header("=?base64?SGVsbG8?="));
  EXPECT_FALSE(unwrap_header("=?base64?SGVs!!!bG8=?="));
}

}  // namespace
}  // namespace glovebox::server

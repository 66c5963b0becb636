#include "mcp/request_state.h"

#include <gtest/gtest.h>

namespace glovebox::mcp {
namespace {

using std::chrono::seconds;

constexpr auto kNow = RequestStates::Clock::time_point(std::chrono::hours(1));

TEST(RequestState, ComesBackWithItsPayloadOnce) {
  RequestStates states(seconds(60));
  const std::string state = states.issue("this request", "round 2", "a", kNow);
  EXPECT_EQ(states.redeem(state, "this request", kNow).value_or(""), "round 2");
  const auto again = states.redeem(state, "this request", kNow);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, kInvalidParams);
}

TEST(RequestState, IsGoodForItsOwnRequestOnly) {
  RequestStates states(seconds(60));
  const std::string state = states.issue("this request", "", "a", kNow);
  EXPECT_FALSE(states.redeem(state, "another request", kNow));
  EXPECT_TRUE(states.redeem(state, "this request", kNow)) << "a wrong guess must not use it up";
}

TEST(RequestState, Expires) {
  RequestStates states(seconds(60));
  const std::string state = states.issue("r", "", "a", kNow);
  EXPECT_FALSE(states.redeem(state, "r", kNow + seconds(60)));
}

TEST(RequestState, EveryChangedCharacterIsNoticed) {
  RequestStates states(seconds(60));
  const std::string state = states.issue("r", "payload", "a", kNow);
  for (std::size_t index = 0; index < state.size(); ++index) {
    std::string changed = state;
    changed[index] = changed[index] == 'a' ? 'b' : 'a';
    EXPECT_FALSE(states.redeem(changed, "r", kNow)) << index;
  }
  EXPECT_FALSE(states.redeem(state + "-TAMPERED", "r", kNow));
  EXPECT_FALSE(states.redeem("", "r", kNow));
  EXPECT_FALSE(states.redeem("..", "r", kNow));
  EXPECT_TRUE(states.redeem(state, "r", kNow));
}

TEST(RequestState, OfAnotherProcessMeansNothingHere) {
  RequestStates ours(seconds(60));
  RequestStates theirs(seconds(60));
  EXPECT_FALSE(ours.redeem(theirs.issue("r", "", "a", kNow), "r", kNow));
}

TEST(RequestState, WhoeverAsksTooMuchForgetsItsOwnOldest) {
  RequestStates states(seconds(60));
  const std::string first = states.issue("r", "", "a", kNow);
  const std::string other = states.issue("r", "", "b", kNow);
  for (int count = 0; count < 5000; ++count) {
    (void)states.issue("r", "", "a", kNow);
  }
  EXPECT_FALSE(states.redeem(first, "r", kNow));
  EXPECT_TRUE(states.redeem(other, "r", kNow));
  EXPECT_TRUE(states.redeem(states.issue("r", "", "a", kNow), "r", kNow));
}

}  // namespace
}  // namespace glovebox::mcp

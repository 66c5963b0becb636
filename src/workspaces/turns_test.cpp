#include "workspaces/turns.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <vector>

namespace glovebox::workspaces {
namespace {

using base::ErrorCode;
using std::chrono::milliseconds;

TEST(TurnsTest, AreTakenInTheOrderOfArrival) {
  Turns turns;
  std::vector<int> order;
  std::vector<std::thread> threads;
  {
    const auto first = turns.take(milliseconds(0), nullptr).value();
    for (int number = 0; number < 5; ++number) {
      threads.emplace_back([&, number] {
        const auto turn = turns.take(std::chrono::seconds(20), nullptr);
        ASSERT_TRUE(turn);
        order.push_back(number);  // one at a time, or the sanitizer says so
      });
      while (turns.in_line() < static_cast<std::size_t>(number) + 2) {
        std::this_thread::sleep_for(milliseconds(1));
      }
    }
    EXPECT_TRUE(order.empty());
    EXPECT_EQ(turns.in_line(), 6U);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(turns.in_line(), 0U);
}

TEST(TurnsTest, AreRefusedToWhoWaitsTooLongOrIsCancelled) {
  Turns turns;
  const auto first = turns.take(milliseconds(0), nullptr).value();
  EXPECT_EQ(turns.take(milliseconds(10), nullptr).error().code, ErrorCode::overloaded);
  const engine::CancelToken token;
  std::thread canceller([&] {
    std::this_thread::sleep_for(milliseconds(30));
    token.cancel();
  });
  EXPECT_EQ(turns.take(std::chrono::seconds(60), &token).error().code, ErrorCode::cancelled);
  canceller.join();
}

TEST(TurnsTest, AreRefusedWhenTooManyWait) {
  Turns turns;
  std::optional<Turns::Turn> first(turns.take(milliseconds(0), nullptr).value());
  std::vector<std::thread> threads;
  for (int number = 0; number < 8; ++number) {
    threads.emplace_back([&] { EXPECT_TRUE(turns.take(std::chrono::seconds(20), nullptr)); });
  }
  while (turns.in_line() < 9) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  const auto turn = turns.take(std::chrono::seconds(20), nullptr);
  ASSERT_FALSE(turn);
  EXPECT_EQ(turn.error().code, ErrorCode::overloaded);
  EXPECT_NE(turn.error().message.find("too many"), std::string::npos) << turn.error().message;
  first.reset();
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace
}  // namespace glovebox::workspaces

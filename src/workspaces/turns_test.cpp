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
      std::this_thread::sleep_for(milliseconds(30));
    }
    EXPECT_TRUE(order.empty());
    EXPECT_FALSE(turns.idle());
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(turns.idle());
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
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  base::ErrorCode code = ErrorCode::internal_error;
  std::string message;
  while (message.find("too many") == std::string::npos && std::chrono::steady_clock::now() < until) {
    const auto turn = turns.take(milliseconds(1), nullptr);
    ASSERT_FALSE(turn);
    code = turn.error().code;
    message = turn.error().message;
  }
  EXPECT_EQ(code, ErrorCode::overloaded);
  EXPECT_NE(message.find("too many"), std::string::npos) << message;
  first.reset();
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace
}  // namespace glovebox::workspaces

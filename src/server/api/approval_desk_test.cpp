#include "server/api/approval_desk.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "runner/ledger.h"

namespace glovebox::server {
namespace {

constexpr std::int64_t kLongMs = 60'000;

// Counts how often, and remembers why last.
struct Heard {
  std::atomic<int> times = 0;
  std::atomic<WaitEnd> why = WaitEnd::full;
};

ApprovalDesk::Visitor visitor(Heard& heard, std::string approval, std::string run, std::int64_t wait_ms = kLongMs,
                              std::string tenant = "web") {
  ApprovalDesk::Visitor made;
  made.approval_id = std::move(approval);
  made.run_id = std::move(run);
  made.tenant = std::move(tenant);
  made.until_ms = runner::unix_ms() + wait_ms;
  made.callback = [&heard](WaitEnd why) {
    heard.why = why;
    ++heard.times;
  };
  return made;
}

TEST(ApprovalDesk, AnAnswerWakesAllWhoWaitForItAndNobodyElse) {
  Heard one;
  Heard two;
  Heard other;
  ApprovalDesk desk;
  desk.wait(visitor(one, "a", "run_1"));
  desk.wait(visitor(two, "a", "run_2"));
  desk.wait(visitor(other, "b", "run_3"));
  desk.answered("a");
  EXPECT_EQ(one.times, 1);
  EXPECT_EQ(two.why, WaitEnd::answered);
  EXPECT_EQ(other.times, 0);
  desk.answered("a");
  EXPECT_EQ(one.times, 1);
  EXPECT_EQ(desk.waiting(), 1U);
}

TEST(ApprovalDesk, TimeEndsAWait) {
  Heard heard;
  ApprovalDesk desk;
  desk.wait(visitor(heard, "a", "run_1", 50));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (heard.times == 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(heard.why, WaitEnd::expired);
  EXPECT_EQ(heard.times, 1);
}

TEST(ApprovalDesk, CancellingTellsWhenNobodyWantsTheApprovalAnyMore) {
  Heard one;
  Heard two;
  ApprovalDesk desk;
  desk.wait(visitor(one, "a", "run_1"));
  desk.wait(visitor(two, "a", "run_2"));
  EXPECT_FALSE(desk.cancel("run_1"));
  EXPECT_EQ(one.why, WaitEnd::cancelled);
  EXPECT_EQ(desk.cancel("run_2"), "a");
  EXPECT_FALSE(desk.cancel("run_2"));
}

TEST(ApprovalDesk, IsBoundedPerTenantAndInBytes) {
  Heard heard;
  Heard refused;
  ApprovalDesk desk;
  for (int index = 0; index < 100; ++index) {
    desk.wait(visitor(heard, "a", "run_" + std::to_string(index)));
  }
  EXPECT_EQ(heard.times, 0);
  desk.wait(visitor(refused, "a", "run_x"));
  EXPECT_EQ(refused.why, WaitEnd::full);
  EXPECT_EQ(refused.times, 1);
  Heard large;
  auto heavy = visitor(large, "b", "run_y", kLongMs, "else");
  heavy.bytes = 1ULL << 30U;
  desk.wait(std::move(heavy));
  EXPECT_EQ(large.times, 1);
}

TEST(ApprovalDesk, ClosingEndsAllAndLetsNobodyIn) {
  Heard heard;
  ApprovalDesk desk;
  desk.wait(visitor(heard, "a", "run_1"));
  desk.close();
  EXPECT_EQ(heard.why, WaitEnd::draining);
  desk.wait(visitor(heard, "a", "run_2"));
  EXPECT_EQ(heard.times, 2);
}

TEST(ApprovalDesk, EverybodyIsToldExactlyOnceWhateverComesTogether) {
  Heard heard;
  {
    ApprovalDesk desk;
    std::vector<std::thread> threads;
    for (int index = 0; index < 4; ++index) {
      threads.emplace_back([&, index] {
        for (int round = 0; round < 20; ++round) {
          desk.wait(visitor(heard, "a" + std::to_string(round % 3), "run_" + std::to_string(index * 100 + round), 1));
          desk.answered("a" + std::to_string(round % 2));
          (void)desk.cancel("run_" + std::to_string(index * 100 + round));
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
  EXPECT_EQ(heard.times, 80);
}

}  // namespace
}  // namespace glovebox::server

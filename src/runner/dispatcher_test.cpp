#include "runner/dispatcher.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <memory>
#include <thread>

namespace glovebox::runner {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

QueueSettings with_workers(std::uint32_t workers) {
  QueueSettings settings;
  settings.workers = workers;
  return settings;
}

// Holds the only worker until it is let go.
class Gate {
 public:
  explicit Gate(Dispatcher& dispatcher, const std::string& tenant = "gate") {
    EXPECT_TRUE(dispatcher.submit(tenant, 0, "", [latches = latches_](const Waited&) {
      latches->entered.count_down();
      latches->opened.wait();
    }));
    latches_->entered.wait();
  }
  void open() { latches_->opened.count_down(); }

 private:
  struct Latches {
    std::latch entered{1};
    std::latch opened{1};
  };
  std::shared_ptr<Latches> latches_ = std::make_shared<Latches>();  // a worker may leave after the test does
};

TEST(Dispatcher, ServesTenantsInTurn) {
  Dispatcher dispatcher(with_workers(1));
  std::vector<std::string> order;
  {
    Gate gate(dispatcher);
    for (const char* tenant : {"noisy", "noisy", "noisy", "quiet", "noisy", "other"}) {
      ASSERT_TRUE(dispatcher.submit(tenant, 0, "", [&order, tenant](const Waited&) { order.emplace_back(tenant); }));
    }
    gate.open();
    ASSERT_TRUE(dispatcher.wait_until_idle(seconds(10)));
  }
  EXPECT_EQ(order, (std::vector<std::string>{"noisy", "quiet", "other", "noisy", "noisy", "noisy"}));
}

TEST(Dispatcher, KeepsATenantWithinItsConcurrency) {
  Dispatcher dispatcher(with_workers(8));
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  for (int job = 0; job < 40; ++job) {
    ASSERT_TRUE(dispatcher.submit("one", 3, "", [&](const Waited&) {
      const int now = ++running;
      int seen = most;
      while (now > seen && !most.compare_exchange_weak(seen, now)) {
      }
      std::this_thread::sleep_for(milliseconds(2));
      --running;
    }));
  }
  ASSERT_TRUE(dispatcher.wait_until_idle(seconds(10)));
  EXPECT_EQ(most, 3);
}

TEST(Dispatcher, ASerialFlightGoesOneAfterAnotherAndHoldsOneWorker) {
  Dispatcher dispatcher(with_workers(4));
  std::atomic<int> running = 0;
  std::atomic<int> overlaps = 0;
  std::vector<int> order;
  std::latch begun(1);
  std::latch let_go(1);
  for (int job = 0; job < 12; ++job) {
    ASSERT_TRUE(dispatcher.submit("one", 0, "serial place", [&, job](const Waited&) {
      overlaps += ++running > 1 ? 1 : 0;
      if (job == 0) {
        begun.count_down();
        let_go.wait();
      }
      order.push_back(job);  // nobody else is here
      --running;
    }));
  }
  begun.wait();
  std::promise<void> other;
  ASSERT_TRUE(dispatcher.submit("one", 0, "", [&](const Waited&) { other.set_value(); }));
  EXPECT_EQ(other.get_future().wait_for(seconds(10)), std::future_status::ready);
  let_go.count_down();
  ASSERT_TRUE(dispatcher.wait_until_idle(seconds(10)));
  EXPECT_EQ(overlaps, 0);
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
}

TEST(Dispatcher, TakesNothingOnceItIsStopped) {
  Dispatcher dispatcher(with_workers(1));
  int done = 0;
  ASSERT_TRUE(dispatcher.submit("one", 0, "", [&](const Waited&) { ++done; }));
  ASSERT_TRUE(dispatcher.wait_until_idle(seconds(10)));
  dispatcher.stop();
  EXPECT_FALSE(dispatcher.submit("one", 0, "", [&](const Waited&) { ++done; }));
  EXPECT_EQ(done, 1);
}

TEST(Dispatcher, PutsAsideWhatWaitsForTheSameAnswer) {
  Dispatcher dispatcher(with_workers(2));
  std::latch leader_runs(1);
  std::latch let_go(1);
  std::atomic<int> ended = 0;
  ASSERT_TRUE(dispatcher.submit("one", 0, "same", [&](const Waited&) {
    leader_runs.count_down();
    let_go.wait();
    ++ended;
  }));
  leader_runs.wait();
  for (int follower = 0; follower < 20; ++follower) {
    ASSERT_TRUE(dispatcher.submit("one", 0, "same", [&](const Waited&) {
      EXPECT_GE(ended.load(), 1) << "a follower ran beside its leader";
      ++ended;
    }));
  }
  // The second worker is free for others, although twenty wait.
  std::promise<void> other_ran;
  ASSERT_TRUE(dispatcher.submit("two", 0, "", [&](const Waited&) { other_ran.set_value(); }));
  EXPECT_EQ(other_ran.get_future().wait_for(seconds(10)), std::future_status::ready);
  EXPECT_EQ(ended, 0);
  let_go.count_down();
  ASSERT_TRUE(dispatcher.wait_until_idle(seconds(10)));
  EXPECT_EQ(ended, 21);
}

TEST(Dispatcher, RefusesWhenTheLineIsTooLong) {
  QueueSettings settings = with_workers(1);
  settings.tenant_length = 2;
  settings.length = 3;
  Dispatcher dispatcher(settings);
  Gate gate(dispatcher);
  const auto nothing = [](const Waited&) {};
  EXPECT_TRUE(dispatcher.submit("one", 0, "", nothing));
  EXPECT_TRUE(dispatcher.submit("one", 0, "", nothing));
  const auto refused = dispatcher.submit("one", 0, "", nothing);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::ErrorCode::overloaded);
  EXPECT_GE(refused.error().retry_after_s, 1U);
  EXPECT_TRUE(dispatcher.submit("two", 0, "", nothing)) << "another tenant has its own line";
  EXPECT_FALSE(dispatcher.submit("two", 0, "", nothing)) << "and all of them have a common end";
  EXPECT_EQ(dispatcher.load().refused, 2U);
  gate.open();
}

TEST(Dispatcher, TellsARunThatItWaitedTooLongAlsoWhenItsTurnNeverComes) {
  QueueSettings settings = with_workers(2);
  settings.wait_ms = 50;
  Dispatcher dispatcher(settings);
  Gate gate(dispatcher, "one");
  std::promise<Waited> told;
  ASSERT_TRUE(dispatcher.submit("one", 1, "", [&](const Waited& waited) { told.set_value(waited); }));
  auto answer = told.get_future();
  ASSERT_EQ(answer.wait_for(seconds(10)), std::future_status::ready);
  const Waited waited = answer.get();
  ASSERT_TRUE(waited.refusal);
  EXPECT_EQ(waited.refusal->code, base::ErrorCode::overloaded);
  EXPECT_GE(waited.queue_ms, 50);
  gate.open();
}

TEST(Dispatcher, EndsWithARefusalForEverybodyWhoWaits) {
  std::atomic<int> refused = 0;
  auto dispatcher = std::make_unique<Dispatcher>(with_workers(1));
  Gate gate(*dispatcher);
  for (int job = 0; job < 5; ++job) {
    ASSERT_TRUE(dispatcher->submit("one", 0, job < 2 ? "same" : "", [&](const Waited& waited) {
      refused += waited.refusal && waited.refusal->code == base::ErrorCode::draining ? 1 : 0;
    }));
  }
  const std::jthread opener([&] {
    std::this_thread::sleep_for(milliseconds(50));
    gate.open();
  });
  dispatcher.reset();  // waits for the gate
  EXPECT_EQ(refused, 5);
}

}  // namespace
}  // namespace glovebox::runner

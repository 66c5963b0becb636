#include "runner/breaker.h"

#include <gtest/gtest.h>

namespace glovebox::runner {
namespace {

using contract::Outcome;

contract::RunResult ended(Outcome outcome) {
  contract::RunResult result;
  result.outcome = outcome;
  result.success = outcome == Outcome::ok;
  return result;
}

class BreakerTest : public testing::Test {
 protected:
  // Whether the run was let in; if so it ends as told.
  bool run(const std::string& task, Outcome outcome, const std::string& signature = "KeyError", bool cached = false) {
    Caller caller;
    caller.task_id = task;
    last_ = breaker_.enter(caller, now_ms_);
    if (last_) {
      contract::RunResult result = ended(outcome);
      result.cached = cached;
      breaker_.leave(caller, result, signature, now_ms_);
    }
    return last_.has_value();
  }

  static BreakerSettings settings() {
    BreakerSettings settings;
    settings.tenant_failures = 6;
    settings.tenant_window_s = 10;
    settings.open_s = 30;
    return settings;
  }

  Breaker breaker_{settings()};
  std::int64_t now_ms_ = 1'000'000;
  base::Status last_;
};

TEST_F(BreakerTest, StopsATaskThatFailsThreeTimesInTheSameWay) {
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(run("report", Outcome::program_failed));
  }
  now_ms_ += 1'000;
  EXPECT_FALSE(run("report", Outcome::ok));
  EXPECT_EQ(last_.error().code, base::ErrorCode::circuit_open);
  EXPECT_EQ(last_.error().retry_after_s, 29U);
  EXPECT_NE(last_.error().message.find("the task report is stopped: it failed 3 times"), std::string::npos)
      << last_.error().message;
  EXPECT_TRUE(run("another", Outcome::ok));
  EXPECT_TRUE(run("", Outcome::ok)) << "without a task there is nothing to stop";
  EXPECT_EQ(breaker_.task_stats(now_ms_).open, 1U);
  EXPECT_EQ(breaker_.task_stats(now_ms_).refused, 1U);
}

TEST_F(BreakerTest, AnotherErrorOrASuccessBeginsTheCountAnew) {
  for (const char* signature : {"a", "a", "b", "a", "a"}) {
    EXPECT_TRUE(run("t", Outcome::program_failed, signature));
  }
  now_ms_ += 20'000;
  EXPECT_TRUE(run("t", Outcome::ok));
  EXPECT_TRUE(run("t", Outcome::program_failed, "a"));
  EXPECT_TRUE(run("t", Outcome::program_failed, "a"));
  EXPECT_TRUE(run("t", Outcome::program_failed, "a"));
  EXPECT_FALSE(run("t", Outcome::ok));
}

TEST_F(BreakerTest, OneRunTriesWhenTheTimeIsOver) {
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(run("t", Outcome::program_failed));
  }
  now_ms_ += 30'000;
  Caller caller;
  caller.task_id = "t";
  ASSERT_TRUE(breaker_.enter(caller, now_ms_)) << "half open";
  EXPECT_FALSE(breaker_.enter(caller, now_ms_)) << "while one tries, the others wait";
  breaker_.leave(caller, ended(Outcome::program_failed), "KeyError", now_ms_);
  EXPECT_FALSE(run("t", Outcome::ok)) << "the same error opens it again";
  now_ms_ += 30'000;
  EXPECT_TRUE(run("t", Outcome::ok));
  EXPECT_TRUE(run("t", Outcome::program_failed)) << "closed, and counting from nothing";
  EXPECT_TRUE(run("t", Outcome::program_failed));
}

TEST_F(BreakerTest, ATrialThatNeverRanLeavesTheDoorAsItWas) {
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(run("t", Outcome::program_failed));
  }
  now_ms_ += 30'000;
  EXPECT_TRUE(run("t", Outcome::cancelled));
  EXPECT_TRUE(run("t", Outcome::program_failed, "KeyError", true)) << "a cached answer is no trial";
  EXPECT_TRUE(run("t", Outcome::program_failed));
  EXPECT_FALSE(run("t", Outcome::ok));
}

TEST_F(BreakerTest, OurFailuresAreCountedApart) {
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE(run("t", Outcome::program_failed));
    EXPECT_TRUE(run("t", Outcome::setup_failed, "setup_failed"));
  }
  EXPECT_TRUE(run("t", Outcome::program_failed)) << "the third of its own: ours in between do not hide them";
  EXPECT_FALSE(run("t", Outcome::ok));
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(run("u", Outcome::setup_failed, "setup_failed"));
  }
  EXPECT_FALSE(run("u", Outcome::ok));
  EXPECT_NE(last_.error().message.find("the service itself failed 3 times"), std::string::npos);
}

TEST_F(BreakerTest, StopsATenantWithTooManyFailuresAtOnce) {
  for (int round = 0; round < 6; ++round) {
    EXPECT_TRUE(run("", Outcome::setup_failed)) << "ours are not its own";
    EXPECT_TRUE(run("t" + std::to_string(round), Outcome::timeout, std::to_string(round)));
  }
  EXPECT_FALSE(run("", Outcome::ok));
  EXPECT_EQ(breaker_.tenant_stats(now_ms_).open, 1U);
  Caller other;
  other.tenant = "other";
  EXPECT_TRUE(breaker_.enter(other, now_ms_));
  now_ms_ += 30'000;
  EXPECT_TRUE(run("", Outcome::ok));
  EXPECT_TRUE(run("", Outcome::ok));
}

TEST_F(BreakerTest, FailuresOfLongAgoDoNotCount) {
  for (int round = 0; round < 12; ++round) {
    EXPECT_TRUE(run("", Outcome::program_failed));
    now_ms_ += 2'500;
  }
}

TEST_F(BreakerTest, ManyTasksDoNotFillTheMemory) {
  for (int round = 0; round < 25'000; ++round) {
    Caller caller{"tenant" + std::to_string(round), "", "t" + std::to_string(round), ""};
    ASSERT_TRUE(breaker_.enter(caller, now_ms_));
    breaker_.leave(caller, ended(Outcome::program_failed), "x", now_ms_);
  }
  // Later there is room again.
  now_ms_ += 120'000;
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(run("late", Outcome::program_failed));
  }
  EXPECT_FALSE(run("late", Outcome::ok));
}

TEST(Breaker, IsOffWhereItIsTurnedOff) {
  BreakerSettings off;
  off.task_same_errors = 0;
  Breaker breaker(off);
  const Caller caller{"default", "", "t", ""};
  for (int round = 0; round < 100; ++round) {
    ASSERT_TRUE(breaker.enter(caller, 1));
    breaker.leave(caller, ended(Outcome::program_failed), "x", 1);
  }
}

TEST_F(BreakerTest, ATenantWithManyFailedTasksHidesNeitherItsOwnNorAnothersLast) {
  BreakerSettings many = settings();
  many.tenant_failures = 0;
  Breaker breaker(many);
  const auto fail_in = [&](const std::string& tenant, const std::string& task) {
    Caller caller;
    caller.tenant = tenant;
    caller.task_id = task;
    now_ms_ += 1;
    const bool entered = breaker.enter(caller, now_ms_).has_value();
    if (entered) {
      breaker.leave(caller, ended(Outcome::program_failed), "KeyError", now_ms_);
    }
    return entered;
  };
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(fail_in("noisy", "stopped"));
  }
  for (int number = 0; number < 12'000; ++number) {
    EXPECT_TRUE(fail_in("noisy", "task" + std::to_string(number)));
  }
  EXPECT_FALSE(fail_in("noisy", "stopped")) << "an open circuit is not forgotten for closed ones";
  for (const char* tenant : {"noisy", "quiet"}) {
    for (int round = 0; round < 3; ++round) {
      EXPECT_TRUE(fail_in(tenant, "report")) << tenant;
    }
    EXPECT_FALSE(fail_in(tenant, "report")) << tenant;
  }
  EXPECT_EQ(breaker.task_stats(now_ms_).open, 3U);
}

}  // namespace
}  // namespace glovebox::runner

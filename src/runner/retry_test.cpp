#include "runner/retry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "contract/json_parse.h"

namespace glovebox::runner {
namespace {

using contract::Outcome;
using contract::RunRequest;
using contract::RunResult;
using testing::HasSubstr;

RunResult result_of(Outcome outcome, std::string message = "", double wall_ms = 1) {
  RunResult result;
  result.run_id = "run_x";
  result.outcome = outcome;
  result.success = outcome == Outcome::ok;
  result.metrics.wall_ms = wall_ms;
  if (!result.success) {
    result.error = contract::RunError{};
    result.error->code = base::ErrorCode::runtime_error;
    result.error->type = "ValueError";
    result.error->message = std::move(message);
    result.error->line = 1;
  }
  return result;
}

// A program that is a word: "ok" works, everything else fails with that word.
RunResult run_word(const RunRequest& request) {
  return request.code == "ok" ? result_of(Outcome::ok) : result_of(Outcome::program_failed, request.code);
}

// Hands out one program after the other and keeps what it was told.
struct Script {
  std::vector<std::string> programs;
  std::vector<RepairBrief> briefs{};

  CodeSupplier supplier() {
    return [this](const RepairBrief& brief) -> base::Result<std::string> {
      briefs.push_back(brief);
      if (briefs.size() > programs.size()) {
        return base::fail(base::ErrorCode::internal_error, "no more ideas");
      }
      return programs[briefs.size() - 1];
    };
  }
};

RunRequest word(std::string code) {
  RunRequest request;
  request.code = std::move(code);
  return request;
}

TEST(Retry, EndsWithTheFirstProgramThatWorks) {
  Script script{{"second", "ok"}};
  const RetryReport report = run_with_retries(run_word, word("first"), script.supplier());
  EXPECT_EQ(report.stop, RetryStop::success);
  ASSERT_EQ(report.attempts.size(), 3U);
  EXPECT_EQ(report.attempts[1].code, "second");
  EXPECT_TRUE(report.result().success);
  ASSERT_EQ(script.briefs.size(), 2U);
  EXPECT_EQ(script.briefs[0].error.message, "first");
  EXPECT_EQ(script.briefs[0].attempts_left, 2U);
  EXPECT_TRUE(script.briefs[0].tried.empty());
  EXPECT_EQ(script.briefs[1].attempts_left, 1U);
  ASSERT_EQ(script.briefs[1].tried.size(), 1U);
  EXPECT_EQ(script.briefs[1].tried[0].error->message, "first");
}

TEST(Retry, AsksNobodyWhenTheProgramWorks) {
  Script script;
  EXPECT_EQ(run_with_retries(run_word, word("ok"), script.supplier()).stop, RetryStop::success);
  EXPECT_TRUE(script.briefs.empty());
}

TEST(Retry, EndsWhenTheAttemptsAreMade) {
  Script script{{"b", "c", "d", "e"}};
  const RetryReport report = run_with_retries(run_word, word("a"), script.supplier());
  EXPECT_EQ(report.stop, RetryStop::attempts_exhausted);
  EXPECT_EQ(report.attempts.size(), 3U);
  EXPECT_EQ(script.briefs.size(), 2U) << "nobody is asked for a program that will not be run";
}

TEST(Retry, EndsWhenTheSameErrorComesTwice) {
  const auto always = [](const RunRequest&) { return result_of(Outcome::program_failed, "no"); };
  Script script{{"x = 1\na", "a "}};
  const RetryReport report = run_with_retries(always, word("a"), script.supplier());
  EXPECT_EQ(report.stop, RetryStop::attempts_exhausted) << "line 1 is another text: not the same place";
  Script stuck{{"a\n# a comment"}};
  const RetryReport same = run_with_retries(always, word("a"), stuck.supplier());
  EXPECT_EQ(same.stop, RetryStop::same_error_twice);
  EXPECT_EQ(same.attempts.size(), 2U);
}

TEST(Retry, NeverRunsAProgramAgainThatHasFailed) {
  int runs = 0;
  Script script{{"b", "a"}};
  const auto count = [&](const RunRequest& request) {
    ++runs;
    return run_word(request);
  };
  const RetryReport report = run_with_retries(count, word("a"), script.supplier(), {5, std::chrono::seconds(10)});
  EXPECT_EQ(report.stop, RetryStop::same_error_twice);
  EXPECT_EQ(runs, 2);
}

TEST(Retry, SpendsNothingOnWhatNewCodeCannotMend) {
  for (const Outcome outcome :
       {Outcome::rejected, Outcome::cancelled, Outcome::setup_failed, Outcome::internal_error}) {
    Script script{{"b"}};
    const auto fails = [&](const RunRequest&) { return result_of(outcome, "ours"); };
    EXPECT_EQ(run_with_retries(fails, word("a"), script.supplier()).stop, RetryStop::not_repairable);
    EXPECT_TRUE(script.briefs.empty());
  }
}

TEST(Retry, TheSupplierMayGiveUp) {
  Script script;
  const RetryReport report = run_with_retries(run_word, word("a"), script.supplier());
  EXPECT_EQ(report.stop, RetryStop::supplier_gave_up);
  EXPECT_EQ(report.reason, "no more ideas");
  EXPECT_EQ(report.attempts.size(), 1U);
}

TEST(Retry, TheBudgetIsSharedByAllAttempts) {
  std::vector<std::uint64_t> walls;
  const auto slow = [&](const RunRequest& request) {
    walls.push_back(request.limits.wall_ms);
    return request.limits.wall_ms < 5000 ? result_of(Outcome::timeout, request.code, 2000)
                                         : result_of(Outcome::program_failed, request.code, 4000);
  };
  Script script{{"b", "c", "d"}};
  const RetryReport report = run_with_retries(slow, word("a"), script.supplier(), {10, std::chrono::seconds(10)});
  EXPECT_EQ(report.stop, RetryStop::budget_exhausted);
  EXPECT_EQ(walls, (std::vector<std::uint64_t>{5000, 5000, 2000})) << "the last one gets what is left";
  EXPECT_EQ(script.briefs.at(1).budget_left_ms, 2000U);
}

TEST(Retry, AnotherProgramIsAnotherRequest) {
  std::vector<std::string> keys;
  RunRequest request = word("a");
  request.idempotency_key = "key";
  Script script{{"b", "ok"}};
  (void)run_with_retries(
      [&](const RunRequest& attempt) {
        keys.push_back(attempt.idempotency_key.value_or("none"));
        return run_word(attempt);
      },
      request, script.supplier());
  EXPECT_EQ(keys, (std::vector<std::string>{"key", "key-2", "key-3"}));
}

TEST(Retry, ToldSoThatAPersonCanTakeOver) {
  Script script{{"b", "c"}};
  const RetryReport report = run_with_retries(run_word, word("a"), script.supplier());
  const std::string text = hand_over(report);
  EXPECT_THAT(text, HasSubstr("attempts_exhausted: 3 attempts are made\n"));
  EXPECT_THAT(text, HasSubstr("  attempt 2: program_failed: ValueError: b (line 1) [run_x]\n"));
  EXPECT_THAT(text, HasSubstr("  → The program failed by itself"));
  const std::string json = to_json(report);
  EXPECT_TRUE(contract::parse_json(json, {})) << json;
  EXPECT_THAT(json, HasSubstr(R"("stop":"attempts_exhausted")"));
  EXPECT_THAT(json, HasSubstr(R"("code":"c","result":{)"));
}

}  // namespace
}  // namespace glovebox::runner

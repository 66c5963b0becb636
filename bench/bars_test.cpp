#include "bench/bars.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/report_fixture.h"

namespace glovebox::bench {
namespace {

BarVerdict verdict_of(const Report& report, const std::string& id) {
  for (const Bar& bar : judge(report)) {
    if (bar.id == id) {
      return bar.verdict;
    }
  }
  ADD_FAILURE() << "there is no bar " << id;
  return BarVerdict::miss;
}

TEST(Bars, AGoodReportPasses) {
  const Report report = small_report();
  for (const char* id : {"print-p50", "print-p99", "pandas-p50", "print-sustained", "burst", "idle-memory", "policy",
                         "endurance", "cold-extra", "answers"}) {
    EXPECT_EQ(verdict_of(report, id), BarVerdict::pass) << id;
  }
  EXPECT_FALSE(any_missed(judge(report)));
}

TEST(Bars, WhatWasNotMeasuredIsNotPassed) {
  for (const Bar& bar : judge(Report{})) {
    EXPECT_EQ(bar.verdict, BarVerdict::not_measured) << bar.id;
  }
  EXPECT_EQ(verdict_of(small_report(), "javascript-p50"), BarVerdict::not_measured);
  EXPECT_FALSE(any_missed(judge(Report{})));
}

TEST(Bars, EachIsMissedByItsOwnFigure) {
  const auto missed_after = [](const std::string& id, auto change) {
    Report report = small_report();
    change(report);
    EXPECT_EQ(verdict_of(report, id), BarVerdict::miss) << id;
    EXPECT_TRUE(any_missed(judge(report)));
  };
  missed_after("print-p50", [](Report& report) { report.sequential[3].latency_ms.p50 = 0.61; });
  missed_after("print-p99", [](Report& report) { report.sequential[3].latency_ms.p99 = 3.1; });
  missed_after("pandas-p50", [](Report& report) { report.sequential[5].latency_ms.p50 = 6.1; });
  missed_after("print-sustained", [](Report& report) { report.sustained[1].runs_per_s = 599; });
  missed_after("burst", [](Report& report) { report.burst[1].last_end_ms = 801; });
  missed_after("burst", [](Report& report) { report.burst[1].tally.failures = 1; });
  missed_after("idle-memory", [](Report& report) { report.memory[0].measured_bytes = 7 << 20; });
  missed_after("idle-memory", [](Report& report) { report.memory[0].pool_bytes = 7 << 20; });
  missed_after("policy", [](Report& report) { report.policy[0].us.p50 = 301; });
  missed_after("policy", [](Report& report) { report.policy[0].wrong = 1; });
  missed_after("endurance", [](Report& report) { report.endurance->figures[0].end = 13; });
  missed_after("cold-extra", [](Report& report) { report.sequential[9].latency_ms.p50 = 13.5; });
  missed_after("cold-extra", [](Report& report) { report.sequential[8].latency_ms.p50 = 10.5; });
  missed_after("answers", [](Report& report) { report.sustained[1].tally.failures = 1; });
  missed_after("answers", [](Report& report) { report.peers.back().missing = "no control groups here"; });
}

TEST(Bars, WithoutBubblewrapTheColdBarIsNotJudgedUnlessItIsMissedAnyway) {
  Report report = small_report();
  report.sequential.erase(report.sequential.begin() + 8);
  EXPECT_EQ(verdict_of(report, "cold-extra"), BarVerdict::not_measured);
  for (const Bar& bar : judge(report)) {
    if (bar.id == "cold-extra") {
      EXPECT_THAT(bar.measured, testing::HasSubstr("bubblewrap was not measured"));
    }
  }
  report.sequential.back().latency_ms.p50 = 13.5;
  EXPECT_EQ(verdict_of(report, "cold-extra"), BarVerdict::miss);
}

TEST(Bars, AFailingPeerIsNotOurFailure) {
  Report report = small_report();
  report.sequential[1].tally.failures = 3;
  EXPECT_EQ(verdict_of(report, "answers"), BarVerdict::pass);
}

}  // namespace
}  // namespace glovebox::bench

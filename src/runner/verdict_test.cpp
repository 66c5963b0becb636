#include "runner/verdict.h"

#include <gtest/gtest.h>

#include <csignal>

namespace glovebox::runner {
namespace {

using contract::Outcome;
using engine::SupervisionReport;
using engine::Verdict;

SupervisionReport exited(int code) {
  SupervisionReport report;
  report.exit_code = code;
  return report;
}

Outcome outcome_of(const SupervisionReport& report, std::optional<contract::RunError> error = std::nullopt) {
  return judge(report, {}, contract::Limits{}, error).outcome;
}

TEST(Verdict, TheExitStatusDecidesWhenNothingElseHappened) {
  EXPECT_EQ(outcome_of(exited(0)), Outcome::ok);
  EXPECT_EQ(outcome_of(exited(3)), Outcome::program_failed);
  SupervisionReport crashed;
  crashed.signal = SIGSEGV;
  EXPECT_EQ(outcome_of(crashed), Outcome::program_failed);
}

TEST(Verdict, WhatTheSupervisorStoppedForComesBeforeTheSignalItSent) {
  SupervisionReport report;
  report.signal = SIGKILL;
  for (const auto& [verdict, outcome] : {std::pair{Verdict::wall, Outcome::timeout},
                                         {Verdict::cpu, Outcome::cpu_limit},
                                         {Verdict::memory, Outcome::memory_limit},
                                         {Verdict::processes, Outcome::process_limit},
                                         {Verdict::output, Outcome::output_limit},
                                         {Verdict::cancelled, Outcome::cancelled}}) {
    report.verdict = verdict;
    EXPECT_EQ(outcome_of(report), outcome);
  }
}

TEST(Verdict, AnOutOfMemoryKillIsBelievedBeforeAnyExitStatus) {
  SupervisionReport report = exited(0);
  report.oom_kills = 1;
  EXPECT_EQ(outcome_of(report), Outcome::memory_limit);
  report.verdict = Verdict::wall;
  EXPECT_EQ(outcome_of(report), Outcome::memory_limit);
  report.verdict = Verdict::cancelled;
  EXPECT_EQ(outcome_of(report), Outcome::cancelled);
}

TEST(Verdict, AProgramThatCopesWithAFullDiskOrARefusedForkIsFine) {
  SupervisionReport report = exited(0);
  report.disk_full = true;
  report.refused_forks = 3;
  EXPECT_EQ(outcome_of(report), Outcome::ok);
  report.exit_code = 1;
  EXPECT_EQ(outcome_of(report), Outcome::process_limit);
  report.refused_forks = 0;
  EXPECT_EQ(outcome_of(report), Outcome::disk_limit);
}

TEST(Verdict, DenialsExplainAFailureButNeverTurnASuccessIntoOne) {
  SupervisionReport report = exited(0);
  report.denials.push_back({"mount()", "mounting is not allowed", "seccomp", "nothing", 1});
  EXPECT_EQ(outcome_of(report), Outcome::ok);
  report.exit_code = 1;
  EXPECT_EQ(outcome_of(report), Outcome::denied);
}

TEST(Verdict, ARuntimeThatAbortsOnItsFullHeapRanOutOfMemory) {
  contract::RunError heap;
  heap.code = base::ErrorCode::memory_limit;
  SupervisionReport report;
  report.signal = SIGABRT;
  EXPECT_EQ(outcome_of(report, heap), Outcome::memory_limit);
  EXPECT_EQ(outcome_of(exited(1), heap), Outcome::program_failed) << "words on stderr alone decide nothing";
}

TEST(Verdict, ArtifactsBeyondTheirCapsFailAnOtherwiseGoodRun) {
  engine::ArtifactHarvest harvest;
  harvest.over_limit = "more than 16 artifacts";
  const Judgement judgement = judge(exited(0), harvest, contract::Limits{}, std::nullopt);
  EXPECT_EQ(judgement.outcome, Outcome::output_limit);
  EXPECT_EQ(judgement.code, base::ErrorCode::artifact_limit);
}

TEST(Verdict, ACellThatVanishedIsOurFault) { EXPECT_EQ(outcome_of(SupervisionReport{}), Outcome::internal_error); }

}  // namespace
}  // namespace glovebox::runner

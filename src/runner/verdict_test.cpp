#include "runner/verdict.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>

namespace glovebox::runner {
namespace {

using contract::Outcome;
using engine::SupervisionReport;

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
  for (const auto& [verdict, outcome] : {std::pair{engine::Verdict::wall, Outcome::timeout},
                                         {engine::Verdict::cpu, Outcome::cpu_limit},
                                         {engine::Verdict::memory, Outcome::memory_limit},
                                         {engine::Verdict::processes, Outcome::process_limit},
                                         {engine::Verdict::output, Outcome::output_limit},
                                         {engine::Verdict::cancelled, Outcome::cancelled}}) {
    report.verdict = verdict;
    EXPECT_EQ(outcome_of(report), outcome);
  }
}

TEST(Verdict, AnOutOfMemoryKillIsBelievedBeforeAnyExitStatus) {
  SupervisionReport report = exited(0);
  report.oom_kills = 1;
  EXPECT_EQ(outcome_of(report), Outcome::memory_limit);
  report.verdict = engine::Verdict::wall;
  EXPECT_EQ(outcome_of(report), Outcome::memory_limit);
  report.verdict = engine::Verdict::cancelled;
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

contract::RunError raised(std::string type, std::string message, std::string traceback = "") {
  contract::RunError error;
  error.code = base::ErrorCode::runtime_error;
  error.type = std::move(type);
  error.message = std::move(message);
  error.traceback = std::move(traceback);
  return error;
}

SupervisionReport refused(std::string what, int number) {
  SupervisionReport report = exited(1);
  report.denials.push_back({std::move(what), "it is off", "seccomp", "nothing", 1});
  report.refused_with.insert(number);
  return report;
}

TEST(Verdict, DenialsExplainAFailureButNeverTurnASuccessIntoOne) {
  SupervisionReport report = refused("mount()", EPERM);
  EXPECT_EQ(outcome_of(report), Outcome::denied);
  report.exit_code = 0;
  EXPECT_EQ(outcome_of(report), Outcome::ok);
}

TEST(Verdict, AnEndThatExplainsNothingIsLaidToTheRefusal) {
  SupervisionReport report = refused("mount()", EPERM);
  contract::RunError error;
  for (const auto code : {base::ErrorCode::program_exit, base::ErrorCode::program_signal}) {
    error.code = code;
    EXPECT_EQ(outcome_of(report, error), Outcome::denied);
  }
}

TEST(Verdict, ABugAfterARefusalThatWasSwallowedIsTheProgramsOwn) {
  const SupervisionReport report = refused("socket(AF_INET, SOCK_STREAM)", EPERM);
  EXPECT_EQ(outcome_of(report, raised("KeyError", "'address'")), Outcome::program_failed);
  EXPECT_EQ(outcome_of(report, raised("TypeError", "Cannot read properties of undefined (reading 'connection')")),
            Outcome::program_failed);
  EXPECT_EQ(outcome_of(report, raised("OSError", "[Errno 38] Function not implemented")), Outcome::program_failed)
      << "not what the refusal said";
}

TEST(Verdict, AnErrorThatSpeaksOfTheRefusalIsADenial) {
  const SupervisionReport socket = refused("socket(AF_INET, SOCK_STREAM)", EPERM);
  EXPECT_EQ(outcome_of(socket, raised("PermissionError", "[Errno 1] Operation not permitted")), Outcome::denied);
  EXPECT_EQ(outcome_of(socket, raised("Error", "connect EPERM 192.0.2.1:80")), Outcome::denied);
  EXPECT_EQ(outcome_of(socket, raised("gaierror", "[Errno -3] Temporary failure in name resolution")), Outcome::denied);
  EXPECT_EQ(
      outcome_of(socket, raised("FetchError", "no data", "PermissionError: [Errno 1]\n\nThe above exception was")),
      Outcome::denied)
      << "what led to the last error counts too";
  EXPECT_EQ(outcome_of(refused("socket(AF_NETLINK, SOCK_RAW)", EPERM), raised("Error", "getaddrinfo ENOTFOUND a.org")),
            Outcome::denied);
  EXPECT_EQ(outcome_of(refused("io_uring_setup()", ENOSYS), raised("OSError", "[Errno 38] Function not implemented")),
            Outcome::denied);
  EXPECT_EQ(outcome_of(refused("mmap()", ENOMEM), raised("OSError", "[Errno 12] Cannot allocate memory")),
            Outcome::denied);
}

TEST(Verdict, WordsAboutTheNetworkNeedARefusedNetworkSocket) {
  EXPECT_EQ(outcome_of(refused("mount()", EPERM), raised("gaierror", "Temporary failure in name resolution")),
            Outcome::program_failed);
}

TEST(Verdict, AFailedCommandIsADenialIfItSpokeOfTheRefusal) {
  SupervisionReport report = refused("socket(AF_INET, SOCK_STREAM)", EPERM);
  const contract::RunError failed =
      raised("subprocess.CalledProcessError", "Command 'x' returned non-zero exit status 1.");
  report.standard_error = engine::OutputCapture(1000);
  report.standard_error.append("x: externally managed");
  EXPECT_EQ(outcome_of(report, failed), Outcome::program_failed);
  report.standard_error.append("x: connect: Operation not permitted");
  EXPECT_EQ(outcome_of(report, failed), Outcome::denied);
  EXPECT_EQ(outcome_of(report, raised("KeyError", "'a'")), Outcome::program_failed);
}

TEST(Verdict, WordsAloneMakeNoDenial) {
  EXPECT_EQ(outcome_of(exited(1), raised("PermissionError", "[Errno 1] Operation not permitted")),
            Outcome::program_failed);
}

TEST(Verdict, ARuntimeThatAbortsOnItsFullHeapRanOutOfMemory) {
  contract::RunError heap;
  heap.code = base::ErrorCode::memory_limit;
  SupervisionReport report;
  report.signal = SIGABRT;
  report.peak_memory_bytes = contract::Limits{}.memory_bytes / 2;
  EXPECT_EQ(outcome_of(report, heap), Outcome::memory_limit);
  report.peak_memory_bytes = 10U << 20U;
  EXPECT_EQ(outcome_of(report, heap), Outcome::program_failed) << "nobody saw it use much memory";
  SupervisionReport chose_to_exit = exited(1);
  chose_to_exit.peak_memory_bytes = contract::Limits{}.memory_bytes;
  EXPECT_EQ(outcome_of(chose_to_exit, heap), Outcome::program_failed) << "words on stderr alone decide nothing";
}

TEST(Verdict, WordsAboutAFullDiskNeedADiskThatWasSeenInUse) {
  const contract::RunError full = raised("OSError", "[Errno 28] No space left on device");
  SupervisionReport report = exited(1);
  EXPECT_EQ(outcome_of(report, full), Outcome::program_failed);
  EXPECT_EQ(outcome_of(report, raised("ValueError", "ENOSPC is a constant")), Outcome::program_failed);
  EXPECT_EQ(outcome_of(report, raised("OSError", "[Errno 27] File too large")), Outcome::program_failed);
  report.peak_written_bytes = contract::Limits{}.disk_bytes * 3 / 4;
  EXPECT_EQ(outcome_of(report, full), Outcome::disk_limit);
  EXPECT_EQ(outcome_of(report, raised("KeyError", "'x'")), Outcome::program_failed);
  report = SupervisionReport();
  report.signal = SIGXFSZ;
  EXPECT_EQ(outcome_of(report), Outcome::disk_limit);
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

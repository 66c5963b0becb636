#include "bench/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

namespace glovebox::bench {
namespace {

using testing::HasSubstr;

Command shell(std::string script) {
  Command command;
  command.words = {"/bin/sh", "-c", std::move(script)};
  return command;
}

TEST(ChildProcess, OutputIsReadToItsEndAlsoBehindFullPipes) {
  const ChildEnd end = run_command(shell("head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2; echo end"));
  EXPECT_EQ(end.problem, "");
  EXPECT_EQ(end.output.size(), 300004U);
  EXPECT_TRUE(end.output.ends_with("end\n"));
}

TEST(ChildProcess, AFailureSaysWhatTheProgramSaid) {
  const ChildEnd end = run_command(shell("echo first >&2; echo last words >&2; exit 3"));
  EXPECT_EQ(end.problem, "exit status 3: last words");
}

TEST(ChildProcess, ASignalIsNamed) { EXPECT_EQ(run_command(shell("kill -9 $$")).problem, "ended by signal 9"); }

TEST(ChildProcess, AProgramThatDoesNotExistIsAProblem) {
  Command command;
  command.words = {"/nonexistent/program"};
  EXPECT_THAT(run_command(command).problem, HasSubstr("cannot start /nonexistent/program"));
}

TEST(ChildProcess, TheCallersEnvironmentDoesNotCount) {
  ::setenv("GLOVEBOX_BENCH_CANARY", "seen", 1);
  const ChildEnd end = run_command(shell("echo \"[$GLOVEBOX_BENCH_CANARY]$PATH\"; pwd"));
  EXPECT_EQ(end.output, "[]/usr/bin:/bin\n/\n");
}

TEST(ChildProcess, OneThatTakesTooLongIsKilledWithItsChildren) {
  const ChildEnd end = run_command(shell("sleep 600 & sleep 600"), std::chrono::seconds(1));
  EXPECT_EQ(end.problem, "took longer than 1 s");
}

}  // namespace
}  // namespace glovebox::bench

#include "cli/repair_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace glovebox::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

base::Result<std::string> ask(const std::string& command, milliseconds patience = seconds(20)) {
  const engine::CancelToken token;
  return ask_command(command, "the brief\n", patience, token);
}

std::string problem_of(const std::string& command, milliseconds patience = seconds(20)) {
  const auto answer = ask(command, patience);
  return answer ? "no problem: " + *answer : answer.error().message;
}

TEST(RepairCommand, GetsTheBriefAndGivesTheProgram) {
  EXPECT_EQ(ask("cat; echo done").value_or(""), "the brief\ndone\n");
  EXPECT_EQ(ask("cat /dev/stdin").value_or(""), "the brief\n");
  EXPECT_EQ(ask("head -c 3000000 /dev/zero | tr '\\0' x").value_or("").size(), 3'000'000U);
}

TEST(RepairCommand, SaysWhyThereIsNoProgram) {
  EXPECT_EQ(problem_of("echo half; exit 3"), "the repair command ended with status 3");
  EXPECT_EQ(problem_of("kill -9 $$"), "the repair command was ended by signal 9");
  EXPECT_EQ(problem_of("echo; echo"), "the repair command printed no program");
  EXPECT_THAT(problem_of("printf '\\377'"), HasSubstr("UTF-8"));
  EXPECT_THAT(problem_of("yes"), HasSubstr("more than 4 MiB"));
}

TEST(RepairCommand, IsNotWaitedForWithoutEnd) {
  const auto started = std::chrono::steady_clock::now();
  EXPECT_EQ(problem_of("sleep 60 & sleep 60", milliseconds(200)), "the repair command took too long");
  EXPECT_EQ(ask("sleep 2 & echo here").value_or(""), "here\n") << "what it leaves behind is not waited for";
  const engine::CancelToken token;
  std::jthread interrupt([&token] {
    std::this_thread::sleep_for(milliseconds(100));
    token.cancel();
  });
  const auto answer = ask_command("sleep 60", "", seconds(30), token);
  EXPECT_EQ(answer ? "" : answer.error().message, "the repair command was interrupted");
  EXPECT_LT(std::chrono::steady_clock::now() - started, seconds(20));
}

}  // namespace
}  // namespace glovebox::cli

// F1 with real cells and a real fault: whoever runs the program is killed from outside until it is run another way.
#include "mcp/tools/run_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <thread>

#include "mcp/sandbox_server.h"
#include "mcp/test_support.h"
#include "runner/process_watch.h"

namespace glovebox::mcp {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kVictimName = "gbvictim";
// Tells the host that it runs, by a name that is nowhere else. JSON inside.
constexpr const char* kVictim =
    R"(import ctypes, time\nctypes.CDLL(None).prctl(15, b'gbvictim')\ntime.sleep(0.7)\nprint('made it')\n)";

// Kills the first process of the victim's cell, so often.
class CellKiller {
 public:
  explicit CellKiller(int times) : thread_([this, times](const std::stop_token& stop) { work(times, stop); }) {}
  [[nodiscard]] int killed() const { return killed_; }

 private:
  void work(int times, const std::stop_token& stop) {
    while (!stop.stop_requested() && killed_ < times) {
      for (const auto& [pid, process] : runner::below(::getpid())) {
        if (process.name == kVictimName && killed_ < times) {
          ::kill(process.parent, SIGKILL);
          ++killed_;
          while (runner::processes().contains(pid) && !stop.stop_requested()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
        }
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  std::atomic<int> killed_ = 0;
  std::jthread thread_;
};

class RunJobTest : public testing::Test {
 protected:
  void SetUp() override {
    runner::RunnerOptions options = runner::default_runner_options();
    options.engine.launcher = GLOVEBOX_LAUNCHER_PATH;
    auto runner = runner::Runner::create(std::move(options));
    contract::RunRequest request;
    request.code = "1";
    if (!runner || !(*runner)->explain(request)) {
      GTEST_SKIP() << "needs a host that can enforce all limits";
    }
    runner_ = std::move(*runner);
    SandboxServerOptions server_options;
    server_options.workspace_directory = testing::TempDir() + "/mcp_workspaces" + std::to_string(::getpid());
    auto sandbox = SandboxServer::create(*runner_, std::move(server_options));
    ASSERT_TRUE(sandbox) << sandbox.error().message;
    sandbox_ = std::move(*sandbox);
  }
  // The answer to a call of execute_code_sandbox.
  std::string execute(const std::string& members) {
    FakeClient client(sandbox_->server());
    client.initialize();
    return client.ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_code_sandbox",)"
                      R"("arguments":{)" +
                      members + "}}}");
  }

  std::unique_ptr<runner::Runner> runner_;
  std::unique_ptr<SandboxServer> sandbox_;
};

TEST_F(RunJobTest, AProgramRunsAndTheAnswerIsItsResult) {
  const std::string answer = execute(R"j("code":"print(6*7)")j");
  EXPECT_THAT(answer, HasSubstr(R"("stdout":"42\n")"));
  EXPECT_THAT(answer, HasSubstr(R"("isError":false)"));
  EXPECT_THAT(answer, Not(HasSubstr("fallback")));
}

TEST_F(RunJobTest, AfterTwoFailuresOfOursTheProgramIsRunByAShellAndTheAnswerSaysSo) {
  const CellKiller killer(2);
  const std::string answer = execute(R"("code":")" + std::string(kVictim) + "\"");
  EXPECT_EQ(killer.killed(), 2);
  EXPECT_THAT(answer, HasSubstr(R"("stdout":"made it\n")"));
  EXPECT_THAT(answer, HasSubstr(R"("isError":false)"));
  EXPECT_THAT(answer, HasSubstr("run by a shell in a fresh cell, behind the same walls"));
  EXPECT_THAT(answer, HasSubstr("failed 2 times"));
  EXPECT_THAT(answer, HasSubstr(R"("isolation":"container")"));
}

TEST_F(RunJobTest, OneFailureOfOursIsNotYetAReason) {
  const CellKiller killer(1);
  const std::string answer = execute(R"("code":")" + std::string(kVictim) + "\"");
  EXPECT_THAT(answer, HasSubstr(R"("stdout":"made it\n")"));
  EXPECT_THAT(answer, Not(HasSubstr("\"fallback\"")));
}

TEST_F(RunJobTest, AFailureOfTheProgramIsNone) {
  const std::string answer = execute(R"j("code":"raise SystemExit(3)")j");
  EXPECT_THAT(answer, HasSubstr(R"("outcome":"program_failed")"));
  EXPECT_THAT(answer, HasSubstr(R"("isError":true)"));
  EXPECT_THAT(answer, Not(HasSubstr("\"fallback\"")));
}

TEST_F(RunJobTest, WhatThePolicyRefusesIsNotTriedAnotherWay) {
  const std::string answer = execute(R"("code":"import subprocess","policy":"strict")");
  EXPECT_THAT(answer, HasSubstr(R"("outcome":"rejected")"));
  EXPECT_THAT(answer, Not(HasSubstr("\"fallback\"")));
}

}  // namespace
}  // namespace glovebox::mcp

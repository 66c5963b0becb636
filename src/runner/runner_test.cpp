// The library with real cells. Where this host cannot build one, the tests say what is missing and are skipped.
#include "runner/runner.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

namespace glovebox::runner {
namespace {

using contract::Event;
using contract::EventKind;
using contract::Outcome;
using contract::RunRequest;
using contract::RunResult;

class RunnerTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    RunnerOptions options = default_runner_options();
    options.engine.launcher = GLOVEBOX_LAUNCHER_PATH;
    options.engine.degraded = engine::DegradedMode::allow;
    auto runner = Runner::create(options);
    if (runner) {
      runner_ = runner->release();
    } else {
      problem_ = base::describe(runner.error());
    }
  }
  static void TearDownTestSuite() { delete runner_; }
  void SetUp() override {
    if (runner_ == nullptr) {
      GTEST_SKIP() << problem_;
    }
  }

  static RunRequest bash(std::string code) {
    RunRequest request;
    request.language = "bash";
    request.code = std::move(code);
    return request;
  }

  static inline Runner* runner_ = nullptr;
  static inline std::string problem_;
};

TEST_F(RunnerTest, RunsAProgramAndTellsHowItEnded) {
  const RunResult result = runner_->run(bash("echo hello; echo oops >&2; exit 3"));
  EXPECT_EQ(result.outcome, Outcome::program_failed);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.standard_output, "hello\n");
  EXPECT_EQ(result.standard_error, "oops\n");
  EXPECT_FALSE(result.run_id.empty());
}

TEST_F(RunnerTest, OutputArrivesWhileTheProgramRunsAndTheResultIsTheSame) {
  std::string seen;
  std::vector<std::string> states;
  double first_ms = -1;
  const auto start = std::chrono::steady_clock::now();
  RunOptions options;
  options.events = [&](const Event& event) {
    if (event.kind == EventKind::state) {
      states.emplace_back(event.data);
    } else {
      seen += event.data;
      if (first_ms < 0) {
        first_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
      }
    }
  };
  const RunResult result = runner_->run(bash("echo first; sleep 1; echo second"), options);
  const double total_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  EXPECT_EQ(seen, "first\nsecond\n");
  EXPECT_EQ(result.standard_output, seen);
  EXPECT_GT(total_ms - first_ms, 700) << "the first line came long before the end";
  EXPECT_EQ(states, (std::vector<std::string>{"preparing", "running"}));
}

TEST_F(RunnerTest, ARunIsCancelledByItsIdFromAnotherThreadAndKeepsItsOutput) {
  RunOptions options;
  options.run_id = new_run_id();
  std::thread canceller([&] {
    // Not known before it starts, and then exactly once.
    while (!runner_->cancel(options.run_id)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  options.events = [](const Event&) {};
  const RunResult result = runner_->run(bash("echo begun; while :; do :; done"), options);
  canceller.join();
  EXPECT_EQ(result.outcome, Outcome::cancelled);
  EXPECT_LT(result.metrics.wall_ms, 4000);
  EXPECT_FALSE(runner_->cancel(options.run_id)) << "it is over";
}

TEST_F(RunnerTest, ManyThreadsShareOneRunner) {
  std::vector<std::thread> threads;
  std::vector<RunResult> results(12);
  for (std::size_t index = 0; index < results.size(); ++index) {
    threads.emplace_back([&, index] {
      RunRequest request = bash("read line; echo \"$line\"; echo data > f; ls");
      request.standard_input = "run " + std::to_string(index) + "\n";
      results[index] = runner_->run(request);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (std::size_t index = 0; index < results.size(); ++index) {
    EXPECT_EQ(results[index].standard_output, "run " + std::to_string(index) + "\nf\n");
  }
}

TEST_F(RunnerTest, ARequestThatCannotBeHonouredIsAResultToo) {
  RunRequest request = bash(":");
  request.isolation = contract::Isolation::vm;
  const RunResult result = runner_->run(request);
  EXPECT_EQ(result.outcome, Outcome::rejected);
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->code, base::ErrorCode::unsupported);
  EXPECT_TRUE(result.attempts.empty());
}

TEST_F(RunnerTest, AFailedBuildLeavesNoDescriptorBehind) {
  const auto count = [] { return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}); };
  (void)runner_->run(bash(":"));
  const auto before = count();
  for (int round = 0; round < 5; ++round) {
    RunRequest request = bash(":");
    request.limits.disk_bytes = 0;
    request.files.push_back({*base::RelPath::parse("x"), std::string(100, 'x')});
    (void)runner_->run(request);
    (void)runner_->run(bash("exit 1"));
  }
  EXPECT_EQ(count(), before);
}

}  // namespace
}  // namespace glovebox::runner

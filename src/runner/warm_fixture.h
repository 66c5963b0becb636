// For the tests of warm cells: one Runner with a pool for a whole suite, and how to be sure that a run was warm.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "runner/runner.h"

namespace glovebox::runner {

inline RunnerOptions options_with_pool() {
  RunnerOptions options = default_runner_options();
  options.engine.launcher = GLOVEBOX_LAUNCHER_PATH;
  options.engine.pool.enabled = true;
  return options;
}

inline contract::RunRequest program(std::string code, std::string language = "python") {
  contract::RunRequest request;
  request.language = std::move(language);
  request.code = std::move(code);
  return request;
}

// Where this host cannot keep warm cells, the tests say what is missing and are skipped.
class WarmFixture : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto runner = Runner::create(options_with_pool());
    if (!runner) {
      problem_ = base::describe(runner.error());
      return;
    }
    runner_ = std::move(*runner);
    const auto plan = runner_->explain(program("1"));
    if (!plan) {
      problem_ = base::describe(plan.error());
      runner_.reset();
    }
  }
  static void TearDownTestSuite() { runner_.reset(); }
  void SetUp() override {
    if (runner_ == nullptr) {
      GTEST_SKIP() << problem_;
    }
  }

  static contract::RunResult run_warm(const contract::RunRequest& request, const RunOptions& options = {}) {
    const auto ready = runner_->prepare(request, 1, std::chrono::seconds(60));
    EXPECT_TRUE(ready) << base::describe(ready.error());
    contract::RunResult result = runner_->run(request, options);
    EXPECT_TRUE(result.provenance.warm) << result.standard_error;
    EXPECT_EQ(result.attempts.size(), 1U);
    return result;
  }
  static std::string output_of(const contract::RunRequest& request) {
    const contract::RunResult result = run_warm(request);
    EXPECT_EQ(result.outcome, contract::Outcome::ok) << result.standard_error;
    return result.standard_output;
  }

  static inline std::unique_ptr<Runner> runner_;
  static inline std::string problem_;
};

}  // namespace glovebox::runner

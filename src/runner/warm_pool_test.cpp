// What the pool promises beyond one run: zygotes and cells are replaced in time, nobody waits for ever, memory has a
// bound, and tenants that are set apart share nothing.
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <thread>

#include "base/temporary_directory.h"
#include "runner/warm_fixture.h"

namespace glovebox::runner {
namespace {

using contract::Outcome;
using contract::RunResult;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kHashSeed = "print(hash('a text'))";

class WarmPoolTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto runner = Runner::create(default_runner_options());
    ASSERT_TRUE(runner) << base::describe(runner.error());
    if (const auto plan = (*runner)->explain(program("1")); !plan) {
      GTEST_SKIP() << base::describe(plan.error());
    }
  }
  void start(const std::function<void(engine::PoolOptions&)>& change) {
    RunnerOptions options = options_with_pool();
    change(options.engine.pool);
    auto runner = Runner::create(options);
    if (!runner) {
      throw std::runtime_error(base::describe(runner.error()));
    }
    runner_ = std::move(*runner);
  }
  RunResult run(const std::string& code, const std::string& tenant = "default") {
    RunOptions options;
    options.caller.tenant = tenant;
    return runner_->run(program(code), options);
  }
  // The first runs of a tenant find no cell.
  RunResult run_warm(const std::string& code, const std::string& tenant = "default") {
    const auto until = std::chrono::steady_clock::now() + seconds(60);
    while (true) {
      RunResult result = run(code, tenant);
      EXPECT_EQ(result.outcome, Outcome::ok) << result.standard_error;
      if (result.provenance.warm || std::chrono::steady_clock::now() > until) {
        EXPECT_TRUE(result.provenance.warm);
        return result;
      }
      std::this_thread::sleep_for(milliseconds(20));
    }
  }
  [[nodiscard]] engine::PoolKindMetrics plain() const {
    const engine::PoolMetrics metrics = runner_->pool_metrics();
    const auto found = metrics.kinds.find("python/plain");
    return found == metrics.kinds.end() ? engine::PoolKindMetrics() : found->second;
  }
  bool comes_true(const std::function<bool()>& condition, seconds patience = seconds(30)) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > until) {
        return false;
      }
      std::this_thread::sleep_for(milliseconds(20));
    }
    return true;
  }

  // Of cells, zygotes and nurseries, as far as processes are counted in them.
  [[nodiscard]] std::size_t groups() const {
    const os::CgroupSite site = runner_->engine().cgroup_site();
    const std::string own = "glovebox." + std::to_string(::getpid()) + ".";
    std::error_code problem;
    std::size_t found = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(site.pids.empty() ? site.unified : site.pids, problem)) {
      found += entry.path().filename().string().starts_with(own) ? 1 : 0;
    }
    return found;
  }

  std::unique_ptr<Runner> runner_;
};

TEST_F(WarmPoolTest, AZygoteIsReplacedAfterItsShareOfCells) {
  start([](engine::PoolOptions& pool) { pool.zygote_cells = 4; });
  double cpu_ms = 0;
  for (int count = 0; count < 14; ++count) {
    run_warm("print(1)");
    const engine::PoolKindMetrics now = plain();
    EXPECT_GE(now.refill_cpu_ms_total, cpu_ms) << "a counter that falls";
    cpu_ms = now.refill_cpu_ms_total;
  }
  EXPECT_GE(plain().zygotes, 3U);
}

// Where a child cannot be born into another pids group, the keepers of cells stay in that of their zygote, and outlive
// it.
TEST_F(WarmPoolTest, AZygoteThatIsGoneLeavesNoGroupBehind) {
  start([](engine::PoolOptions& pool) { pool.zygote_cells = 4; });
  const auto run_some = [this](int runs) {
    for (int count = 0; count < runs; ++count) {
      run_warm("print(1)");
    }
  };
  run_some(8);
  const std::size_t before = groups();
  const std::uint64_t zygotes = plain().zygotes;
  run_some(48);
  ASSERT_GE(plain().zygotes, zygotes + 8);
  EXPECT_TRUE(comes_true([&] { return groups() <= before + 4; })) << before << " groups, then " << groups();
}

TEST_F(WarmPoolTest, AZygoteIsReplacedAtItsAge) {
  start([](engine::PoolOptions& pool) { pool.zygote_age_s = 1; });
  const std::string first = run_warm(kHashSeed).standard_output;
  std::this_thread::sleep_for(milliseconds(1500));
  // The cells of the first zygote that still wait are used up.
  EXPECT_TRUE(comes_true([&] { return run_warm(kHashSeed).standard_output != first; }));
  EXPECT_GE(plain().zygotes, 2U);
}

// Its zygote never says that it is ready.
TEST_F(WarmPoolTest, NobodyWaitsAtTheEndForWhatIsStillLoading) {
  const base::TemporaryDirectory languages("glovebox-slow-language");
  std::ofstream(languages.path() + "/slow.toml") << R"(id = "slow"
name = "Slow"
extensions = [".slow"]
file_name = "main.slow"
command = ["/usr/bin/cat", "{program}"]
[warm]
kind = "zygote"
command = ["/usr/bin/bash", "-c", "sleep 50"]
[[warm.set]]
name = "plain"
modules = []
)";
  RunnerOptions options = options_with_pool();
  options.language_directories.push_back(languages.path());
  auto runner = Runner::create(options);
  ASSERT_TRUE(runner) << base::describe(runner.error());
  const contract::RunRequest request = program("text", "slow");
  EXPECT_EQ((*runner)->run(request, {}).standard_output, "text");
  EXPECT_FALSE((*runner)->prepare(request, 1, seconds(3)));
  const auto began = std::chrono::steady_clock::now();
  runner->reset();
  EXPECT_LT(std::chrono::steady_clock::now() - began, seconds(10));
}

TEST_F(WarmPoolTest, WhatNobodyWantsIsGivenUp) {
  start([](engine::PoolOptions& pool) { pool.idle_age_s = 1; });
  run_warm("print(1)");
  EXPECT_TRUE(comes_true([this] {
    const engine::PoolKindMetrics now = plain();
    return now.idle == 0 && now.target == 0 && now.discarded > 0 && now.zygote_bytes == 0;
  }));
  EXPECT_EQ(runner_->pool_metrics().memory_bytes, 0U);
  EXPECT_EQ(run("print(1)").outcome, Outcome::ok) << "and comes back when it is wanted";
}

// Two runs that hold the only cells there are; gives what a third one gets meanwhile.
RunResult third_of_three(Runner& runner, std::atomic<int>& started) {
  std::vector<std::thread> holders;
  for (int count = 0; count < 2; ++count) {
    holders.emplace_back([&runner, &started] {
      RunOptions options;
      options.events = [&started](const contract::Event& event) {
        started += event.kind == contract::EventKind::standard_output ? 1 : 0;
      };
      (void)runner.run(program("import time\nprint('here', flush=True)\ntime.sleep(2)"), options);
    });
  }
  while (started < 2) {
    std::this_thread::sleep_for(milliseconds(5));
  }
  RunResult result = runner.run(program("print(3)"));
  for (std::thread& holder : holders) {
    holder.join();
  }
  return result;
}

TEST_F(WarmPoolTest, WithoutALineARunIsBuiltColdAtOnce) {
  for (const bool queue : {false, true}) {
    start([queue](engine::PoolOptions& pool) {
      pool.when_empty = queue ? engine::WhenEmpty::queue : engine::WhenEmpty::cold;
      pool.queue_length = 0;
      pool.zygote_cells = 2;  // and it takes a while to make the next ones
      pool.least_idle = 2;
      pool.most_idle = 2;
    });
    ASSERT_TRUE(runner_->prepare(program("1"), 2, seconds(60)));
    std::atomic<int> started = 0;
    const RunResult third = third_of_three(*runner_, started);
    EXPECT_EQ(third.outcome, Outcome::ok);
    EXPECT_EQ(plain().queued, 0U);
  }
}

TEST_F(WarmPoolTest, RunsInLineAreAllServed) {
  start([](engine::PoolOptions& pool) {
    pool.least_idle = 1;
    pool.most_idle = 1;
    pool.queue_wait_ms = 60'000;
  });
  ASSERT_TRUE(runner_->prepare(program("1"), 1, seconds(60)));
  std::vector<std::thread> callers;
  std::atomic<int> warm = 0;
  for (int count = 0; count < 40; ++count) {
    callers.emplace_back([this, &warm] { warm += run("print(1)").provenance.warm ? 1 : 0; });
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
  EXPECT_EQ(warm, 40);
  EXPECT_GT(plain().queued, 0U);
  EXPECT_EQ(plain().failures, 0U);
}

TEST_F(WarmPoolTest, MoreCellsMayRunThanAZygoteMayHaveProcesses) {
  start([](engine::PoolOptions& pool) { pool.queue_wait_ms = 60'000; });
  ASSERT_TRUE(runner_->prepare(program("1"), 16, seconds(60)));
  std::vector<std::thread> callers;
  std::atomic<int> warm = 0;
  for (int count = 0; count < 80; ++count) {
    callers.emplace_back([this, &warm] { warm += run("import time\ntime.sleep(3)").provenance.warm ? 1 : 0; });
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
  EXPECT_EQ(plain().failures, 0U);
  EXPECT_GT(warm, 64);
}

TEST_F(WarmPoolTest, WhatWaitsStaysWithinTheMemoryBudget) {
  start([](engine::PoolOptions& pool) {
    pool.memory_budget_bytes = 1;
    pool.least_idle = 1;
  });
  std::vector<std::thread> callers;
  for (int count = 0; count < 8; ++count) {
    callers.emplace_back([this] { (void)run("import time\ntime.sleep(0.2)"); });
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
  run_warm("print(1)");
  EXPECT_GT(plain().target, 1U) << "the demand is known";
  std::this_thread::sleep_for(milliseconds(500));
  EXPECT_LE(plain().idle, 1U);
}

TEST_F(WarmPoolTest, BeyondTheMemoryBudgetOtherTenantsRunCold) {
  start([](engine::PoolOptions& pool) {
    pool.memory_budget_bytes = 1;
    pool.least_idle = 1;
  });
  run_warm("print(1)", "first");
  for (int count = 0; count < 20; ++count) {
    EXPECT_EQ(run("print(1)", "first").outcome, Outcome::ok);
    EXPECT_FALSE(run("print(1)", "second").provenance.warm);
  }
  EXPECT_EQ(plain().zygotes, 1U);
  run_warm("print(1)", "second");  // as soon as the first one is at rest
}

TEST_F(WarmPoolTest, TenantsThatAreSetApartShareNoZygote) {
  start([](engine::PoolOptions&) {});
  const std::string first = run_warm(kHashSeed, "first").standard_output;
  const std::string second = run_warm(kHashSeed, "second").standard_output;
  EXPECT_NE(first, second) << "the hash seed is the zygote's";
  EXPECT_EQ(run_warm(kHashSeed, "first").standard_output, first);
  EXPECT_EQ(plain().zygotes, 2U);
}

TEST_F(WarmPoolTest, TenantsMayShare) {
  start([](engine::PoolOptions& pool) { pool.tenants_apart = false; });
  EXPECT_EQ(run_warm(kHashSeed, "first").standard_output, run_warm(kHashSeed, "second").standard_output);
  EXPECT_EQ(plain().zygotes, 1U);
}

TEST_F(WarmPoolTest, TheTenantThatWasIdleForTheLongestTimeMakesRoom) {
  start([](engine::PoolOptions& pool) { pool.most_kinds = 2; });
  const std::string first = run_warm(kHashSeed, "first").standard_output;
  run_warm("print(1)", "second");
  run_warm("print(1)", "third");
  EXPECT_NE(run_warm(kHashSeed, "first").standard_output, first) << "its zygote is gone";
  EXPECT_GE(plain().zygotes, 4U) << "what is gone stays counted";
}

}  // namespace
}  // namespace glovebox::runner

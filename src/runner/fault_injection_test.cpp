// What becomes of a run when something of ours fails under it (F1, F2): launchers and cells are killed, stopped, or
// replaced by programs that refuse or talk nonsense. Each run ends with a good answer, or with a clean one that names
// the cause; behind the same walls, and leaving nothing. A program that has begun is never begun again.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <thread>

#include "runner/process_watch.h"
#include "runner/warm_fixture.h"

namespace glovebox::runner {
namespace {

using contract::Attempt;
using contract::Outcome;
using contract::RunRequest;
using contract::RunResult;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

// Tells the host that it runs, by a name that is nowhere else, and says nothing until its end.
constexpr const char* kVictim =
    "import ctypes, time\nctypes.CDLL(None).prctl(15, b'gbvictim')\ntime.sleep(0.7)\nprint('made it')\n";
constexpr const char* kVictimName = "gbvictim";

std::vector<std::string> paths_of(const RunResult& result) {
  std::vector<std::string> paths;
  for (const Attempt& attempt : result.attempts) {
    paths.push_back(attempt.path + " " + attempt.outcome);
  }
  return paths;
}

std::string describe(const RunResult& result) {
  std::string text =
      std::string(contract::to_string(result.outcome)) + " " + (result.error ? result.error->message : "");
  for (const Attempt& attempt : result.attempts) {
    text += "\n  " + attempt.path + " " + attempt.outcome + ": " + attempt.reason;
  }
  return text;
}

// Kills, from outside, the first process of the cell that the victim is in: so often, then it watches.
class CellKiller {
 public:
  explicit CellKiller(int times) : thread_([this, times](const std::stop_token& stop) { work(times, stop); }) {}
  int killed() const { return killed_; }

 private:
  void work(int times, const std::stop_token& stop) {
    while (!stop.stop_requested() && killed_ < times) {
      for (const auto& [pid, process] : below(::getpid())) {
        if (process.name == kVictimName && killed_ < times) {
          ::kill(process.parent, SIGKILL);
          ++killed_;
          while (processes().contains(pid) && !stop.stop_requested()) {
            std::this_thread::sleep_for(milliseconds(1));
          }
        }
      }
      std::this_thread::sleep_for(milliseconds(2));
    }
  }

  std::atomic<int> killed_ = 0;
  std::jthread thread_;
};

// Kills cells of a pool under runs whose program has not begun: all that wait are stopped, and with them the zygote
// that would make others; a cell that is told to start, which its first process hears, dies with its orders unread.
class WaitingCellKiller {
 public:
  explicit WaitingCellKiller(int times) {
    while (stop_more()) {
      std::this_thread::sleep_for(milliseconds(50));  // for what was being made when its zygote was stopped
    }
    thread_ = std::jthread([this, times](const std::stop_token& stop) { work(times, stop); });
  }
  ~WaitingCellKiller() {
    thread_ = {};
    go_on();
  }
  int killed() const { return killed_; }

 private:
  bool stop_more() {
    const std::size_t before = stopped_.size();
    for (const auto& [pid, process] : below(::getpid())) {
      if (process.command.find("start_zygote") != std::string::npos && ::kill(pid, SIGSTOP) == 0) {
        stopped_[pid] = process.parent;
      }
    }
    return stopped_.size() > before;
  }
  // It watches for the end of its program, instead of waiting for our word.
  static bool was_told_to_start(pid_t first_process) {
    std::ifstream call("/proc/" + std::to_string(first_process) + "/syscall");
    int number = -1;
    return call >> number && number == SYS_rt_sigtimedwait;
  }
  void work(int times, const std::stop_token& stop) {
    while (!stop.stop_requested() && killed_ < times) {
      for (const auto& [pid, first_process] : stopped_) {
        if (killed_ < times && was_told_to_start(first_process) && ::kill(first_process, SIGKILL) == 0) {
          ++killed_;
          // All of the cell: a runtime that is woken too early would begin after all.
          while (is_cell_alive(first_process) && !stop.stop_requested()) {
            std::this_thread::sleep_for(milliseconds(1));
          }
        }
      }
      std::this_thread::sleep_for(milliseconds(2));
    }
    go_on();
  }
  [[nodiscard]] bool is_cell_alive(pid_t first_process) const {
    return std::ranges::any_of(stopped_, [&](const auto& entry) {
      return entry.second == first_process && (::kill(entry.first, 0) == 0 || ::kill(first_process, 0) == 0);
    });
  }
  void go_on() const {
    for (const auto& [pid, first_process] : stopped_) {
      ::kill(pid, SIGCONT);
    }
  }

  std::map<pid_t, pid_t> stopped_;  // runtimes that wait, and the first processes of their cells
  std::atomic<int> killed_ = 0;
  std::jthread thread_;
};

RunnerOptions options_with_launcher(const std::string& path) {
  RunnerOptions options = default_runner_options();
  options.engine.launcher = path;
  return options;
}

std::unique_ptr<Runner> cold_runner(const std::string& launcher = GLOVEBOX_LAUNCHER_PATH) {
  auto runner = Runner::create(options_with_launcher(launcher));
  return runner && (*runner)->explain(program("1")) ? std::move(*runner) : nullptr;
}

// The one direct child of this process that is a launcher.
pid_t launcher_of(const std::set<pid_t>& others = {}) {
  for (const auto& [pid, process] : below(::getpid())) {
    if (process.parent == ::getpid() && process.name.starts_with("glovebox-launch") && !others.contains(pid)) {
      return pid;
    }
  }
  return -1;
}

class FaultTest : public testing::Test {
 protected:
  void SetUp() override {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // what outlives its parents becomes ours and is seen
    processes_before_ = below(::getpid());
    groups_before_ = own_groups();
  }

  // Everything that the test started is gone.
  void TearDown() override {
    std::map<pid_t, Process> left;
    for (int patience = 0; patience < 100; ++patience) {
      left = below(::getpid());
      std::erase_if(left, [&](const auto& entry) { return processes_before_.contains(entry.first); });
      if (left.empty()) {
        break;
      }
      std::this_thread::sleep_for(milliseconds(10));
    }
    for (const auto& [pid, process] : left) {
      ADD_FAILURE() << "still alive: " << pid << " " << process.name << " " << process.command.substr(0, 80);
    }
    EXPECT_EQ(own_groups(), groups_before_);
  }

  std::map<pid_t, Process> processes_before_;
  std::set<std::string> groups_before_;
};

TEST_F(FaultTest, ADeadLauncherIsReplacedBeforeTheNextRun) {
  const auto runner = cold_runner();
  if (!runner) {
    GTEST_SKIP() << "needs a host that can enforce all limits";
  }
  const RunResult good = runner->run(program("print('one')"));
  ASSERT_EQ(good.outcome, Outcome::ok) << describe(good);
  const pid_t launcher = launcher_of();
  ASSERT_EQ(::kill(launcher, SIGKILL), 0);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(launcher), &ended, WEXITED | WNOWAIT), 0);
  const RunResult again = runner->run(program("print('two')"));
  EXPECT_EQ(again.standard_output, "two\n") << describe(again);
  EXPECT_EQ(paths_of(again), std::vector<std::string>{"cold ok"});
  EXPECT_EQ(again.provenance.enforced, good.provenance.enforced);
}

TEST_F(FaultTest, ALauncherThatDiesUnderARunTakesItAlongAndTheProgramIsNotRunAgain) {
  const auto runner = cold_runner();
  if (!runner) {
    GTEST_SKIP() << "needs a host that can enforce all limits";
  }
  std::jthread killer([](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      for (const auto& [pid, process] : below(::getpid())) {
        if (process.name == kVictimName) {
          ::kill(launcher_of(), SIGKILL);
          return;
        }
      }
      std::this_thread::sleep_for(milliseconds(2));
    }
  });
  const RunResult result = runner->run(program(kVictim));
  EXPECT_EQ(result.outcome, Outcome::internal_error) << describe(result);
  EXPECT_EQ(result.standard_output, "") << describe(result);
  EXPECT_EQ(paths_of(result), std::vector<std::string>{"cold internal_error"}) << describe(result);
  EXPECT_FALSE(result.attempts.front().reason.empty());
  const RunResult next = runner->run(program("print('next')"));
  EXPECT_EQ(next.standard_output, "next\n") << describe(next);
}

TEST_F(FaultTest, ALauncherThatHangsIsGivenUpAndReplaced) {
  const auto runner = cold_runner();
  if (!runner) {
    GTEST_SKIP() << "needs a host that can enforce all limits";
  }
  ASSERT_EQ(::kill(launcher_of(), SIGSTOP), 0);
  const auto started = steady_clock::now();
  const RunResult result = runner->run(program("print('after all')"));
  EXPECT_EQ(result.standard_output, "after all\n") << describe(result);
  ASSERT_EQ(result.attempts.size(), 2U) << describe(result);
  EXPECT_NE(result.attempts.front().reason.find("did not answer"), std::string::npos) << describe(result);
  EXPECT_LT(steady_clock::now() - started, seconds(25));
}

TEST_F(FaultTest, ALauncherThatCannotWorkIsNamedAsTheCause) {
  const std::string directory = testing::TempDir() + "/launchers" + std::to_string(::getpid());
  ASSERT_EQ(::mkdir(directory.c_str(), 0755), 0);
  struct Case {
    const char* name;
    std::string script;
    const char* told;
  };
  const std::vector<Case> cases = {
      {"ends", "exit 0", "launcher"},
      {"talks_nonsense", "printf 'no such reply' >&3; exec sleep 60", "makes no sense"},
      // Too few descriptors for what travels with a request.
      {"refuses", "ulimit -n 6; exec " + std::string(GLOVEBOX_LAUNCHER_PATH), ""},
  };
  for (const Case& broken : cases) {
    SCOPED_TRACE(broken.name);
    const std::string path = directory + "/" + broken.name;
    std::ofstream(path) << "#!/bin/sh\n" << broken.script << "\n";
    ASSERT_EQ(::chmod(path.c_str(), 0755), 0);
    const auto runner = Runner::create(options_with_launcher(path));
    ASSERT_TRUE(runner) << base::describe(runner.error());
    if (!(*runner)->explain(program("1"))) {
      GTEST_SKIP() << "needs a host that can enforce all limits";
    }
    const auto started = steady_clock::now();
    const RunResult result = (*runner)->run(program("print('never')"));
    EXPECT_EQ(result.outcome, Outcome::setup_failed) << describe(result);
    EXPECT_EQ(paths_of(result), (std::vector<std::string>{"cold setup_failed", "cold setup_failed"}));
    ASSERT_TRUE(result.error);
    EXPECT_NE(result.error->message.find(broken.told), std::string::npos) << describe(result);
    EXPECT_FALSE(result.error->hint.empty());
    EXPECT_LT(steady_clock::now() - started, seconds(5));
  }
  std::filesystem::remove_all(directory);
}

// With a pool, shared by the tests below.
class WarmFaultTest : public WarmFixture {
 protected:
  static void SetUpTestSuite() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    WarmFixture::SetUpTestSuite();
  }
  static void expect_same_walls(const RunResult& result) {
    auto plain = cold_runner();
    ASSERT_NE(plain, nullptr);
    EXPECT_EQ(result.provenance.enforced, plain->run(program("1")).provenance.enforced);
    EXPECT_EQ(result.provenance.isolation, "container");
  }
};

TEST_F(WarmFaultTest, ACellThatDiesUnderItsProgramTakesItAlongAndTheProgramIsNotRunAgain) {
  ASSERT_TRUE(runner_->prepare(program(kVictim), 2, seconds(60)));
  const CellKiller killer(1);
  const RunResult result = runner_->run(program(kVictim));
  EXPECT_EQ(result.outcome, Outcome::internal_error) << describe(result);
  EXPECT_EQ(paths_of(result), std::vector<std::string>{"warm internal_error"}) << describe(result);
  EXPECT_FALSE(result.attempts.front().reason.empty());
}

TEST_F(WarmFaultTest, ACellThatDiesBeforeItsProgramBeginsIsReplacedOnTheSamePath) {
  ASSERT_TRUE(runner_->prepare(program(kVictim), 2, seconds(60)));
  const WaitingCellKiller killer(1);
  const RunResult result = runner_->run(program(kVictim));
  EXPECT_EQ(killer.killed(), 1);
  EXPECT_EQ(result.standard_output, "made it\n") << describe(result);
  EXPECT_EQ(paths_of(result), (std::vector<std::string>{"warm setup_failed", "warm ok"})) << describe(result);
  EXPECT_FALSE(result.attempts.front().reason.empty());
  expect_same_walls(result);
}

TEST_F(WarmFaultTest, TwoFailuresOnTheWarmPathLeadToTheColdOne) {
  ASSERT_TRUE(runner_->prepare(program(kVictim), 3, seconds(60)));
  const auto fallbacks = runner_->pool_metrics().fallbacks;
  const WaitingCellKiller killer(2);
  const RunResult result = runner_->run(program(kVictim));
  EXPECT_EQ(killer.killed(), 2);
  EXPECT_EQ(result.standard_output, "made it\n") << describe(result);
  EXPECT_EQ(paths_of(result), (std::vector<std::string>{"warm setup_failed", "warm setup_failed", "cold ok"}))
      << describe(result);
  EXPECT_FALSE(result.provenance.warm);
  EXPECT_EQ(runner_->pool_metrics().fallbacks, fallbacks + 1);
  expect_same_walls(result);
}

TEST_F(WarmFaultTest, WhenEveryPathFailsTheAnswerSaysSo) {
  ASSERT_TRUE(runner_->prepare(program(kVictim), 3, seconds(60)));
  const WaitingCellKiller warm_killer(2);
  const CellKiller cold_killer(1);
  const RunResult result = runner_->run(program(kVictim));
  EXPECT_EQ(result.outcome, Outcome::internal_error) << describe(result);
  EXPECT_EQ(paths_of(result),
            (std::vector<std::string>{"warm setup_failed", "warm setup_failed", "cold internal_error"}))
      << describe(result);
  EXPECT_EQ(warm_killer.killed(), 2);
  EXPECT_EQ(cold_killer.killed(), 1);
  EXPECT_EQ(output_of(program("print('still')")), "still\n");
}

TEST_F(WarmFaultTest, WhatWasSaidIsNotSaidTwice) {
  ASSERT_TRUE(runner_->prepare(program(kVictim), 2, seconds(60)));
  std::string heard;
  RunOptions options;
  options.events = [&heard](const contract::Event& event) {
    heard += event.kind == contract::EventKind::standard_output ? std::string(event.data) : "";
  };
  const CellKiller killer(1);
  const RunResult result = runner_->run(program("print('begun', flush=True)\n" + std::string(kVictim)), options);
  EXPECT_EQ(heard, "begun\n");
  EXPECT_EQ(result.outcome, Outcome::internal_error) << describe(result);
  EXPECT_EQ(paths_of(result), std::vector<std::string>{"warm internal_error"});
  EXPECT_FALSE(result.attempts.front().reason.empty());
}

TEST_F(WarmFaultTest, AProgramsOwnEndIsNoReasonToTryAgain) {
  const std::vector<const char*> programs = {
      "raise SystemExit(3)",
      "import os; os._exit(1)",
      "import os; os.abort()",
      "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
      "import os, signal; os.kill(-1, signal.SIGKILL); os.kill(os.getpid(), 9)",
      "import os\ntry: os.kill(1, 9)\nexcept OSError: pass\nos._exit(4)",
      "import ctypes; ctypes.string_at(0)",
      "a = []\nwhile True: a.append(bytearray(1 << 22))",
      "import os\nos.close(0); os.close(1); os.close(2); os._exit(5)",
      "import os\nfor fd in range(3, 256):\n  try: os.close(fd)\n  except OSError: pass\nos._exit(6)",
  };
  for (const char* code : programs) {
    SCOPED_TRACE(code);
    const RunResult result = run_warm(program(code));  // expects one attempt
    EXPECT_NE(result.outcome, Outcome::ok);
    EXPECT_NE(result.outcome, Outcome::setup_failed);
    EXPECT_NE(result.outcome, Outcome::internal_error) << describe(result);
  }
}

TEST_F(WarmFaultTest, RunsGoOnWhileZygotesDie) {
  ASSERT_TRUE(runner_->prepare(program("1"), 2, seconds(60)));
  std::atomic<int> killed = 0;
  std::vector<std::string> problems;
  {
    // Idle, while they fork, while their children are adopted: whenever it happens.
    const std::jthread killer([&killed](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        for (const auto& [pid, process] : below(::getpid())) {
          const bool zygote = process.command.find("start_zygote") != std::string::npos;
          killed += zygote && ::kill(pid, SIGKILL) == 0 ? 1 : 0;
        }
        std::this_thread::sleep_for(milliseconds(60));
      }
    });
    const auto until = steady_clock::now() + seconds(4);
    while (steady_clock::now() < until) {
      const RunResult result = runner_->run(program("print('through')"));
      // A cell that dies after its program has begun, and before it has told its end, cannot be run again.
      const bool lost = result.outcome == Outcome::internal_error && paths_of(result).back() == "warm internal_error";
      const bool killed_itself = result.signal == "SIGKILL";
      if (result.standard_output != "through\n" && !lost && !killed_itself) {
        problems.push_back(describe(result));
      }
    }
  }
  EXPECT_GT(killed, 3);
  EXPECT_TRUE(problems.empty()) << problems.front();
  for (int patience = 0; patience < 50; ++patience) {
    (void)runner_->prepare(program("1"), 1, seconds(10));
    if (runner_->run(program("1")).provenance.warm) {
      return;
    }
  }
  ADD_FAILURE() << "the pool does not recover";
}

}  // namespace
}  // namespace glovebox::runner

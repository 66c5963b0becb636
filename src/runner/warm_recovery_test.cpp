// What a pool survives, and what it leaves behind: nothing, between runs and after its end.
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "runner/process_watch.h"
#include "runner/warm_fixture.h"

namespace glovebox::runner {
namespace {

using contract::Outcome;
using contract::RunRequest;
using contract::RunResult;

class WarmRecoveryTest : public WarmFixture {
 protected:
  static void SetUpTestSuite() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // what outlives its parents becomes ours and is seen
    WarmFixture::SetUpTestSuite();
  }

  // We start the launcher, it starts nurseries, and in these are zygotes and the first processes of cells.
  static constexpr int kNursery = 2;
  static constexpr int kInNursery = 3;

  static std::size_t kill_where(const std::function<bool(const Process&, int depth)>& condition) {
    std::size_t killed = 0;
    const std::map<pid_t, Process> all = below(::getpid());
    for (const auto& [pid, process] : all) {
      int depth = 1;
      for (auto above = all.find(process.parent); above != all.end(); above = all.find(above->second.parent)) {
        ++depth;
      }
      if (condition(process, depth)) {
        ::kill(pid, SIGKILL);
        ++killed;
      }
    }
    // Until they are dead, with all that dies with them: a run in a dying cell is lost, and says so.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return killed;
  }

  static void expect_recovery() {
    for (int round = 0; round < 3; ++round) {
      const RunResult result = runner_->run(program("print('still')"));
      EXPECT_EQ(contract::to_string(result.outcome), "ok")
          << "cold or warm, but never failed: " << (result.error ? result.error->message : "");
      EXPECT_EQ(result.standard_output, "still\n");
    }
    expect_warm_soon(program("print('warm again')"));
  }

  static void expect_warm_soon(const RunRequest& request) {
    for (int patience = 0; patience < 100; ++patience) {
      (void)runner_->prepare(request, 1, std::chrono::seconds(10));
      if (runner_->run(request).provenance.warm) {
        return;
      }
    }
    ADD_FAILURE() << "the pool does not recover";
  }
};

TEST_F(WarmRecoveryTest, ADeadZygoteIsReplaced) {
  ASSERT_TRUE(runner_->prepare(program("1"), 2, std::chrono::seconds(60)));
  const auto before = runner_->pool_metrics().kinds.at("python/plain").zygotes;
  EXPECT_EQ(kill_where([](const Process& process, int depth) {
              return depth == kInNursery && process.command.find("start_zygote") != std::string::npos;
            }),
            1U);
  expect_recovery();
  // Those that waited serve first; then there has to be a new one.
  for (int round = 0; round < 4; ++round) {
    EXPECT_EQ(output_of(program("print('more')")), "more\n");
  }
  EXPECT_EQ(runner_->pool_metrics().kinds.at("python/plain").zygotes, before + 1);
}

TEST_F(WarmRecoveryTest, ACellThatDiedWhileItWaitedIsNotUsed) {
  ASSERT_TRUE(runner_->prepare(program("1"), 2, std::chrono::seconds(60)));
  const auto before = runner_->pool_metrics().kinds.at("python/plain").discarded;
  EXPECT_GE(kill_where([](const Process& process, int depth) {
              return depth > kInNursery && process.command.find("start_zygote") != std::string::npos;
            }),
            2U);
  expect_recovery();
  EXPECT_GE(runner_->pool_metrics().kinds.at("python/plain").discarded, before + 2);
}

TEST_F(WarmRecoveryTest, ADeadNurseryIsReplaced) {
  ASSERT_TRUE(runner_->prepare(program("1"), 2, std::chrono::seconds(60)));
  ASSERT_TRUE(runner_->prepare(program(":", "bash"), 1, std::chrono::seconds(60)));
  EXPECT_GE(kill_where([](const Process&, int depth) { return depth == kNursery; }), 2U);
  expect_recovery();
  expect_warm_soon(program("echo too", "bash"));
}

TEST_F(WarmRecoveryTest, NothingOfARunReachesTheNext) {
  const char* leave = R"(
import builtins, ctypes, json, os, signal, socket, sys, time
for place in ('/work', '/tmp', '/dev/shm'): open(place + '/left', 'w').write('x')
builtins.left = json.left = sys.left = 'left behind ' * 3
os.environ['LEFT'] = 'left'
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
libc = ctypes.CDLL(None)
libc.shmget(4242, 4096, 0o1666)
libc.msgget(4242, 0o1666)
libc.semget(4242, 1, 0o1666)
server = socket.socket(socket.AF_UNIX); server.bind('\0left'); server.listen()
if os.fork() == 0:
    os.setsid()
    time.sleep(60)
print('left')
)";
  const char* look = R"(
import builtins, ctypes, json, os, signal, socket, sys
found = [place for place in ('/work', '/tmp', '/dev/shm') if os.listdir(place)]
found += [place for place in (builtins, json, sys) if hasattr(place, 'left')]
found += [name for name in os.environ if name == 'LEFT']
if signal.getsignal(signal.SIGUSR1) != signal.SIG_DFL: found.append('signal')
libc = ctypes.CDLL(None)
found += [name for name, call in (('shm', libc.shmget), ('msg', libc.msgget)) if call(4242, 0, 0) != -1]
if libc.semget(4242, 0, 0) != -1: found.append('sem')
try:
    socket.socket(socket.AF_UNIX).connect('\0left')
    found.append('socket')
except OSError:
    pass
socket.socket(socket.AF_UNIX).bind('\0left')
word = b'left ' + b'behind left'
with open('/proc/self/maps') as maps, open('/proc/self/mem', 'rb', 0) as memory:
    for line in maps:
        start, end = (int(part, 16) for part in line.split()[0].split('-'))
        if line.split()[1].startswith('rw'):
            memory.seek(start)
            content = memory.read(end - start)
            if content.count(word) > 1: found.append(line)
print(found, sorted(name for name in os.listdir('/proc') if name.isdigit()) == [str(os.getpid())])
)";
  for (int round = 0; round < 4; ++round) {
    const RunResult left = run_warm(program(leave));
    EXPECT_EQ(left.standard_output, "left\n") << left.standard_error;
    EXPECT_EQ(output_of(program(look)), "[] True\n");
  }
}

TEST(WarmEndTest, NothingIsLeftWhenTheRunnerIsGone) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const auto groups_before = own_groups();
  {
    auto runner = Runner::create(options_with_pool());
    if (!runner || !(*runner)->explain(program("1"))) {
      GTEST_SKIP() << "needs a host that can enforce all limits";
    }
    for (const char* language : {"python", "bash"}) {
      ASSERT_TRUE((*runner)->prepare(program("true", language), 3, std::chrono::seconds(60)));
    }
    EXPECT_TRUE((*runner)->run(program("1")).provenance.warm);
    RunRequest stopped = program("import os, time\nfor _ in range(4): os.fork()\ntime.sleep(60)");
    stopped.limits.wall_ms = 200;
    EXPECT_EQ((*runner)->run(stopped).outcome, Outcome::timeout);
    EXPECT_GT(below(::getpid()).size(), 6U) << "the launcher, two nurseries, a zygote and cells";
    EXPECT_GT(own_groups().size(), groups_before.size());
  }
  std::map<pid_t, Process> left = below(::getpid());
  for (int patience = 0; patience < 20 && !left.empty(); ++patience) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    left = below(::getpid());
  }
  for (const auto& [pid, process] : left) {
    ADD_FAILURE() << "still alive: " << pid << " " << process.command.substr(0, 80);
  }
  EXPECT_EQ(own_groups(), groups_before);
}

}  // namespace
}  // namespace glovebox::runner

// Runs in warm cells: what a request says holds there as it does in a cold cell, and children of one zygote share
// nothing that matters.
#include <unistd.h>

#include <atomic>
#include <set>
#include <sstream>
#include <thread>

#include "base/sha256.h"
#include "runner/warm_fixture.h"

namespace glovebox::runner {
namespace {

using contract::Outcome;
using contract::RunRequest;
using contract::RunResult;

class WarmTest : public WarmFixture {
 protected:
  // Line by line over several runs of the same program.
  static void expect_different_lines(const RunRequest& request, std::size_t lines) {
    std::vector<std::set<std::string>> seen(lines);
    constexpr std::size_t kRuns = 4;
    for (std::size_t run = 0; run < kRuns; ++run) {
      std::istringstream output(output_of(request));
      std::string line;
      for (std::size_t index = 0; index < lines; ++index) {
        ASSERT_TRUE(std::getline(output, line)) << "line " << index;
        seen[index].insert(line);
      }
    }
    for (std::size_t index = 0; index < lines; ++index) {
      EXPECT_EQ(seen[index].size(), kRuns) << "line " << index << " is the same in two runs: " << *seen[index].begin();
    }
  }
};

TEST_F(WarmTest, TheResultSaysThatItWasWarm) {
  const RunResult result = run_warm(program("print('hello')"));
  EXPECT_EQ(result.outcome, Outcome::ok);
  EXPECT_EQ(result.standard_output, "hello\n");
  EXPECT_EQ(result.attempts.front(), (contract::Attempt{"warm", "ok"}));
}

TEST_F(WarmTest, ChildrenOfOneZygoteDrawDifferentNumbers) {
  expect_different_lines(program(R"(
import random, secrets, ssl, tempfile, uuid, os, hashlib
print(random.random())
print(random.Random().random(), random.SystemRandom().random())
print(secrets.token_hex(16))
print(uuid.uuid4(), uuid.uuid1().node)
print(os.path.basename(tempfile.mkdtemp()))
print(os.urandom(16).hex())
print(ssl.RAND_bytes(16).hex())
)"),
                         7);
  EXPECT_EQ(runner_->pool_metrics().kinds.at("python/plain").zygotes, 1U) << "all of one zygote";
}

TEST_F(WarmTest, ChildrenOfAZygoteWithNumpyDrawDifferentNumbers) {
  if (::access("/usr/lib/python3/dist-packages/numpy", F_OK) != 0) {
    GTEST_SKIP() << "needs numpy in the image";
  }
  expect_different_lines(program(R"(
import numpy, random, tempfile, os, uuid
print(numpy.random.rand())
print(numpy.random.default_rng().random())
print(numpy.random.RandomState().random_sample())
print(random.random())
print(os.path.basename(tempfile.mktemp()))
print(uuid.uuid4())
)"),
                         6);
  EXPECT_EQ(runner_->pool_metrics().kinds.at("python/numpy").zygotes, 1U) << "all of one zygote";
}

TEST_F(WarmTest, NodeAndShellDrawDifferentNumbers) {
  expect_different_lines(program("echo $RANDOM$RANDOM$RANDOM\necho $SRANDOM$SRANDOM\nmktemp -u", "bash"), 3);
  if (::access("/usr/bin/node", F_OK) == 0) {
    expect_different_lines(program("console.log(Math.random());\nconsole.log(crypto.randomUUID());", "javascript"), 2);
  }
}

struct Limited {
  const char* name;
  const char* code;
  std::uint64_t contract::Limits::*limit;
  std::uint64_t value;
  Outcome outcome;
};

TEST_F(WarmTest, TheLimitsOfTheRequestHold) {
  using contract::Limits;
  const Limited cases[] = {
      {"memory", "x = []\nwhile True: x.append(bytearray(b'x') * (1 << 20))", &Limits::memory_bytes, 64U << 20U,
       Outcome::memory_limit},
      {"more memory", "x = bytearray(b'x') * (300 << 20)", &Limits::memory_bytes, 512U << 20U, Outcome::ok},
      {"less disk", "open('f', 'wb').write(b'x' * (4 << 20))", &Limits::disk_bytes, 2U << 20U, Outcome::disk_limit},
      {"more disk", "open('f', 'wb').write(b'x' * (90 << 20))", &Limits::disk_bytes, 100U << 20U, Outcome::ok},
      {"inodes", "for n in range(400): open(f'f{n}', 'w').close()", &Limits::inodes, 100, Outcome::disk_limit},
      {"processes", "import os, time\nwhile True:\n    if os.fork() == 0: time.sleep(60)", &Limits::processes, 10,
       Outcome::process_limit},
      {"cpu", "while True: pass", &Limits::cpu_ms, 300, Outcome::cpu_limit},
      {"wall", "import time\ntime.sleep(60)", &Limits::wall_ms, 300, Outcome::timeout},
  };
  for (const Limited& each : cases) {
    RunRequest request = program(each.code);
    request.limits.*each.limit = each.value;
    const RunResult result = run_warm(request);
    EXPECT_EQ(contract::to_string(result.outcome), contract::to_string(each.outcome))
        << each.name << ": " << result.standard_error;
  }
}

TEST_F(WarmTest, LimitsAreAsExactAsInAColdCell) {
  RunnerOptions options = options_with_pool();
  options.engine.pool.enabled = false;
  const auto cold = Runner::create(options);
  ASSERT_TRUE(cold) << base::describe(cold.error());
  RunRequest request = program(R"(
import os, resource
print([resource.getrlimit(limit) for limit in range(16)])
print(os.statvfs('/work').f_blocks, os.statvfs('/work').f_files)
files = []
try:
    while True: files.append(os.open('/dev/null', os.O_RDONLY))
except OSError as error:
    print(error.errno, len(files))
for file in files: os.close(file)
written = 0
try:
    with open('f', 'wb', 0) as file:
        while True: written += file.write(b'x' * 4096)
except OSError as error:
    # The support files of a cold cell lie in it and take some room beyond the limit.
    print(error.errno, 10 << 20 <= written <= os.statvfs('/work').f_blocks * 4096)
)");
  request.limits.disk_bytes = 10U << 20U;
  request.limits.inodes = 500;
  request.limits.open_files = 40;
  request.limits.processes = 33;
  request.limits.cpu_ms = 2500;
  request.files.push_back({*base::RelPath::parse("in.txt"), std::string(5000, 'x')});
  const RunResult expected = (*cold)->run(request);
  EXPECT_FALSE(expected.provenance.warm);
  EXPECT_EQ(output_of(request), expected.standard_output);
}

TEST_F(WarmTest, InputsArgumentsAndEnvironmentArriveInEveryLanguage) {
  const std::string large(10U << 20U, 'z');
  const std::pair<const char*, const char*> programs[] = {
      {"python",
       "import hashlib, os, sys\n"
       "print(hashlib.sha256(open('in/large', 'rb').read()).hexdigest(), len(sys.stdin.read()), sys.argv[1:], "
       "os.environ['GREETING'])"},
      {"bash", "echo \"$(sha256sum < in/large | cut -d' ' -f1) $(wc -c) ['$1', '$2'] $GREETING\""},
      {"javascript",
       "const fs = require('fs');\n"
       "const hash = require('crypto').createHash('sha256').update(fs.readFileSync('in/large'));\n"
       "console.log(hash.digest('hex'), fs.readFileSync(0).length, \"['one', 'two words']\", "
       "process.env.GREETING, process.argv.slice(2).length === 2 ? '' : 'args')"},
  };
  for (const auto& [language, code] : programs) {
    if (std::string_view(language) == "javascript" && ::access("/usr/bin/node", F_OK) != 0) {
      continue;
    }
    RunRequest request = program(code, language);
    request.files.push_back({*base::RelPath::parse("in/large"), large});
    request.standard_input = std::string(1U << 20U, 'i');
    request.args = {"one", "two words"};
    request.env = {{"GREETING", "héllo wörld"}};
    std::string output = output_of(request);
    while (output.ends_with('\n') || output.ends_with(' ')) {
      output.pop_back();
    }
    EXPECT_EQ(output, base::sha256_hex(large) + " 1048576 ['one', 'two words'] héllo wörld") << language;
  }
}

TEST_F(WarmTest, SolveWorksInEveryLanguage) {
  const std::pair<const char*, const char*> programs[] = {
      {"python", "def solve(x): return sum(x)"},
      {"bash", "solve() { echo $(( $(tr -dc '0-9,' <<< \"$1\" | tr , +) )); }"},
      {"javascript", "function solve(x) { return x.reduce((a, b) => a + b); }"},
  };
  for (const auto& [language, code] : programs) {
    if (std::string_view(language) == "javascript" && ::access("/usr/bin/node", F_OK) != 0) {
      continue;
    }
    RunRequest request = program(code, language);
    request.input_json = "[1,2,39]";
    const RunResult result = run_warm(request);
    ASSERT_EQ(result.results.size(), 1U) << language << ": " << result.standard_error;
    EXPECT_EQ(result.results[0].json, "42") << language;
  }
}

TEST_F(WarmTest, ArtifactsAreCollected) {
  RunRequest request = program("import os\nos.mkdir('out')\nopen('out/a.csv', 'w').write('a,b\\n')\nopen('b', 'w')");
  request.artifacts = {"out/**"};
  const RunResult result = run_warm(request);
  ASSERT_EQ(result.artifacts.size(), 1U);
  EXPECT_EQ(result.artifacts[0].path, "out/a.csv");
  EXPECT_EQ(result.artifacts[0].content, "a,b\n");
}

TEST_F(WarmTest, ARunIsCancelledAndKeepsItsOutput) {
  RunOptions options;
  options.run_id = new_run_id();
  std::atomic<bool> begun = false;
  options.events = [&begun](const contract::Event& event) {
    if (event.kind == contract::EventKind::standard_output) {
      begun = true;
    }
  };
  std::thread canceller([&] {
    while (!begun) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    EXPECT_TRUE(runner_->cancel(options.run_id));
  });
  const RunResult result = run_warm(program("print('begun', flush=True)\nwhile True: pass"), options);
  canceller.join();
  EXPECT_EQ(result.outcome, Outcome::cancelled);
  EXPECT_EQ(result.standard_output, "begun\n");
}

TEST_F(WarmTest, WhatNoWarmCellFitsIsBuiltCold) {
  RunRequest request = program("import os\nprint(os.environ['PYTHONHASHSEED'], hash('x') == hash('x'))");
  request.env = {{"PYTHONHASHSEED", "7"}};
  EXPECT_FALSE(runner_->prepare(request, 1, std::chrono::seconds(1)));
  const RunResult result = runner_->run(request);
  EXPECT_FALSE(result.provenance.warm);
  EXPECT_EQ(result.standard_output, "7 True\n");
  EXPECT_EQ(result.attempts, (std::vector<contract::Attempt>{{"cold", "ok"}}));
}

TEST_F(WarmTest, ManyThreadsGetTheirOwnResults) {
  ASSERT_TRUE(runner_->prepare(program("1"), 4, std::chrono::seconds(60)));
  constexpr int kThreads = 8;
  constexpr int kRuns = 6;
  std::atomic<int> warm = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([thread, &warm] {
      for (int run = 0; run < kRuns; ++run) {
        const std::string mine = std::to_string(thread) + "." + std::to_string(run);
        RunRequest request = program(
            "import os, sys\nprint(sys.argv[1], sys.stdin.read(), open('f').read(), os.listdir('/tmp'))\n"
            "open('/tmp/left', 'w').write(sys.argv[1])\nsys.exit(7)");
        request.args = {mine};
        request.standard_input = mine;
        request.files.push_back({*base::RelPath::parse("f"), mine});
        request.limits.wall_ms = 30'000;
        const RunResult result = runner_->run(request);
        EXPECT_EQ(result.standard_output, mine + " " + mine + " " + mine + " []\n") << result.standard_error;
        EXPECT_EQ(result.exit_code, 7);
        warm += result.provenance.warm ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_GE(warm, 4) << "at least those that waited";
}

}  // namespace
}  // namespace glovebox::runner

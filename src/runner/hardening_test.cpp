// The proofs of the hardening checklist hold behind the wall, and each turns red without the part of the wall that it
// is about. Where this host cannot build a cell, the tests say what is missing and are skipped.
#include "runner/hardening.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/cleanup.h"
#include "base/fd.h"
#include "os/files.h"
#include "runner/process_watch.h"

namespace glovebox::runner {
namespace {

using contract::Outcome;
using contract::RunRequest;
using contract::RunResult;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kCanaryName = "GLOVEBOX_DOCTOR_CANARY";

ProofOptions options_of(std::vector<std::string> points) {
  ProofOptions options;
  options.runner = default_runner_options();
  options.runner.engine.launcher = GLOVEBOX_LAUNCHER_PATH;
  options.runner.engine.degraded = engine::DegradedMode::allow;
  options.points = std::move(points);
  return options;
}

// Changes what is asked for on its way to a real cell.
ProbeRun with(std::function<void(RunRequest&)> change) {
  return [change = std::move(change)](Runner& runner, const RunRequest& request) {
    RunRequest changed = request;
    change(changed);
    return runner.run(changed);
  };
}

// No wall at all: the probe runs on the host, as a child of this process.
RunResult run_on_the_host(Runner& /*runner*/, const RunRequest& request) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const base::Fd reading(ends[0]);
  base::Fd writing(ends[1]);
  std::vector<std::string> words = {"python3", "-c", request.code};
  words.insert(words.end(), request.args.begin(), request.args.end());
  std::vector<char*> argv;
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(writing.get(), STDOUT_FILENO);
    ::execv("/usr/bin/python3", argv.data());
    ::_exit(127);
  }
  writing.reset();
  RunResult result;
  result.standard_output = os::read_all(reading.get(), 1U << 20U).value_or("");
  int status = 0;
  ::waitpid(pid, &status, 0);
  result.outcome = status == 0 ? Outcome::ok : Outcome::program_failed;
  return result;
}

class HardeningTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto runner = Runner::create(options_of({}).runner);
    if (!runner) {
      GTEST_SKIP() << base::describe(runner.error());
    }
  }

  static Proof prove(ProofOptions options) {
    const auto proofs = prove_hardening(std::move(options));
    if (!proofs || proofs->size() != 1) {
      ADD_FAILURE() << (proofs ? "one proof was asked for" : base::describe(proofs.error()));
      return {};
    }
    return proofs->front();
  }

  static Proof prove(const std::string& point, ProbeRun run) {
    ProofOptions options = options_of({point});
    options.run = std::move(run);
    return prove(std::move(options));
  }
};

TEST_F(HardeningTest, EveryProofHoldsBehindTheWall) {
  const auto proofs = prove_hardening(options_of({}));
  ASSERT_TRUE(proofs) << base::describe(proofs.error());
  ASSERT_EQ(proofs->size(), 7U);
  for (const Proof& proof : *proofs) {
    EXPECT_TRUE(proof.holds) << proof.id << ": " << proof.detail;
  }
  EXPECT_EQ(::getenv(kCanaryName), nullptr) << "the canary goes away again";
}

// H5 would not end there, and H7 would install something.
TEST_F(HardeningTest, NoProofHoldsOnTheBareHost) {
  for (const char* point : {"H1", "H2", "H3", "H4"}) {
    const Proof proof = prove(point, run_on_the_host);
    EXPECT_FALSE(proof.holds) << proof.id << ": " << proof.detail;
  }
}

TEST_F(HardeningTest, AnInheritedVariableIsFoundByItsName) {
  const Proof inherited =
      prove("H2", with([](RunRequest& request) { request.env[kCanaryName] = ::getenv(kCanaryName); }));
  EXPECT_FALSE(inherited.holds);
  EXPECT_THAT(inherited.detail, HasSubstr(kCanaryName));

  const Proof other = prove("H2", with([](RunRequest& request) { request.env["ANYTHING"] = "hidden-value"; }));
  EXPECT_FALSE(other.holds);
  EXPECT_THAT(other.detail, HasSubstr("ANYTHING"));
  EXPECT_THAT(other.detail, Not(HasSubstr("hidden-value"))) << "a value that came through may be a secret";

  const Proof changed = prove("H2", with([](RunRequest& request) { request.env["HOME"] = "/root"; }));
  EXPECT_FALSE(changed.holds);
  EXPECT_THAT(changed.detail, HasSubstr("HOME"));
}

// A launcher that is older than the canary could pass on its whole environment unnoticed.
TEST_F(HardeningTest, TheLauncherIsStartedWithTheCanary) {
  int launchers_with_it = 0;
  bool could_look = false;
  const auto look = [&](Runner& runner, const RunRequest& request) {
    const std::string canary = std::string(kCanaryName) + "=" + ::getenv(kCanaryName);
    for (const auto& [pid, process] : below(::getpid())) {
      const std::string place = "/proc/" + std::to_string(pid);
      std::ifstream memory(place + "/mem", std::ios::binary);
      could_look = could_look || memory.good();
      std::istringstream maps(os::read_file(place + "/maps").value_or(""));
      for (std::string line; std::getline(maps, line);) {
        if (line.find("[heap]") == std::string::npos) {
          continue;
        }
        const std::size_t dash = line.find('-');
        const std::uint64_t start = std::stoull(line.substr(0, dash), nullptr, 16);
        const std::uint64_t end = std::stoull(line.substr(dash + 1), nullptr, 16);
        std::string bytes(end - start, '\0');
        memory.seekg(static_cast<std::streamoff>(start));
        memory.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        launchers_with_it += bytes.find(canary) == std::string::npos ? 0 : 1;
      }
    }
    return runner.run(request);
  };
  EXPECT_TRUE(prove("H2", look).holds);
  if (!could_look) {
    GTEST_SKIP() << "needs to read the memory of its own child";
  }
  EXPECT_EQ(launchers_with_it, 1);
}

TEST_F(HardeningTest, ALimitThatDoesNotKillIsFound) {
  const Proof proof = prove("H5", with([](RunRequest& request) { request.code = "print('within every limit')"; }));
  EXPECT_FALSE(proof.holds);
  EXPECT_THAT(proof.detail, HasSubstr("wall clock"));
}

TEST_F(HardeningTest, ACapThatIsNotHeldIsFound) {
  const auto more_files = [](RunRequest& request) { request.limits.artifact_count = 20; };
  EXPECT_FALSE(prove("H6", with(more_files)).holds);
  const auto larger_files = [](RunRequest& request) { request.limits.artifact_file_bytes = 16U << 20U; };
  EXPECT_FALSE(prove("H6", with(larger_files)).holds);
}

TEST_F(HardeningTest, ASecretThatIsStoredIsFound) {
  ProofOptions options = options_of({"H6"});
  options.redaction.enabled = false;
  const Proof proof = prove(std::move(options));
  EXPECT_FALSE(proof.holds);
  EXPECT_THAT(proof.detail, HasSubstr("stored as it is"));
}

TEST_F(HardeningTest, ARecordThatWasNotMadeProvesNothing) {
  const Proof proof = prove("H6", with([](RunRequest& request) {
                              if (!request.standard_input.empty()) {
                                request.code = "open('left.txt', 'w').write('something else')";
                              }
                            }));
  EXPECT_FALSE(proof.holds);
  EXPECT_THAT(proof.detail, HasSubstr("lacks the words"));
}

TEST_F(HardeningTest, APackageDirectoryThatCanBeWrittenIsFound) {
  const auto writable = [](RunRequest& request) {
    const std::string place = R"(path.startswith("/usr"))";
    const std::size_t at = request.code.find(place);
    ASSERT_NE(at, std::string::npos);
    request.code.replace(at, place.size(), R"(path.startswith("/work"))");
    request.code = "import os, sys\nos.mkdir('/work/packages')\nsys.path.append('/work/packages')\n" + request.code;
  };
  const Proof proof = prove("H7", with(writable));
  EXPECT_FALSE(proof.holds);
  EXPECT_THAT(proof.detail, HasSubstr("/work/packages"));
}

TEST_F(HardeningTest, LeavesNothingInTheTemporaryDirectory) {
  const auto ours = [] {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/tmp")) {
      count += entry.path().filename().string().starts_with("glovebox-doctor-") ? 1U : 0U;
    }
    return count;
  };
  const std::size_t before = ours();
  EXPECT_TRUE(prove("H3", {}).holds);
  EXPECT_TRUE(prove("H6", {}).holds);
  EXPECT_EQ(ours(), before);
}

}  // namespace
}  // namespace glovebox::runner

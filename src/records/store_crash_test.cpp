// kill -9 at any instant, under load, again and again on one directory: every run whose finish() returned is there and
// whole, nothing is half there, and the audit log is sound.
//
// The victim is this program once more, told by its environment what to do; it reports each step on a pipe.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <map>
#include <random>
#include <thread>

#include "base/fd.h"
#include "os/files.h"
#include "records/test_support.h"

namespace glovebox::records {
namespace {

constexpr const char* kDirectoryName = "GLOVEBOX_CRASH_DIRECTORY";
constexpr const char* kRoundName = "GLOVEBOX_CRASH_ROUND";
constexpr int kReportFd = 3;

std::string output_of(const std::string& run_id) {
  // Some of them are files.
  const std::size_t hash = std::hash<std::string>()(run_id);
  return run_id + noise(hash % 5 == 0 ? 90'000 : hash % 700, hash);
}

void report(char step, const std::string& run_id) {
  const std::string line = step + run_id + "\n";
  ASSERT_EQ(::write(kReportFd, line.data(), line.size()), static_cast<ssize_t>(line.size()));
}

void write_for_ever(Store& store, const std::string& prefix) {
  for (int index = 0; true; ++index) {
    const std::string run_id = prefix + std::to_string(index);
    RunStart start = make_start(run_id, "code of " + run_id);
    start.idempotency_key = run_id;
    ASSERT_EQ(store.claim("acme", run_id, start.request_sha256, run_id, kNow)->kind, Claim::Kind::claimed);
    report('c', run_id);
    ASSERT_TRUE(store.begin(std::move(start)));
    if (index % 7 == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(6));  // long enough to be written as running
    }
    RunEnd end = make_end(run_id, output_of(run_id));
    ASSERT_TRUE(store.finish(std::move(end)));
    report('f', run_id);
    if (index % 11 == 0) {
      report('?', run_id);
      ASSERT_TRUE(store.remove(run_id, "child", kNow).value());
      report('d', run_id);
    }
  }
}

TEST(CrashVictim, DISABLED_WritesUntilItIsKilled) {
  const char* directory = ::getenv(kDirectoryName);
  ASSERT_NE(directory, nullptr);
  auto store = open_sqlite_store(directory);
  ASSERT_TRUE(store) << base::describe(store.error());
  ASSERT_TRUE((*store)->lock_for_serving());
  ASSERT_TRUE((*store)->mark_interrupted(kNow));
  std::vector<std::thread> threads;
  for (int index = 0; index < 4; ++index) {
    threads.emplace_back([&, index] {
      write_for_ever(**store, "run_" + std::string(::getenv(kRoundName)) + "_" + std::to_string(index) + "_");
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

// Starts a victim, kills it after so long, and returns what it reported.
std::string run_victim(const std::string& directory, int round, std::chrono::microseconds patience) {
  int ends[2] = {-1, -1};
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  base::Fd reader(ends[0]);
  base::Fd writer(ends[1]);
  const std::string directory_setting = std::string(kDirectoryName) + "=" + directory;
  const std::string round_setting = std::string(kRoundName) + "=" + std::to_string(round);
  const char* arguments[] = {"victim", "--gtest_filter=CrashVictim.*", "--gtest_also_run_disabled_tests", nullptr};
  const char* environment[] = {directory_setting.c_str(), round_setting.c_str(), nullptr};
  const base::Fd quiet(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(quiet.get(), STDOUT_FILENO);
    if (writer.get() == kReportFd) {
      ::fcntl(kReportFd, F_SETFD, 0);
    } else {
      ::dup2(writer.get(), kReportFd);
    }
    ::execve("/proc/self/exe", const_cast<char**>(arguments), const_cast<char**>(environment));
    ::_exit(127);
  }
  writer.reset();
  // The time counts from its first report: starting takes longer than most of the instants of interest.
  char first = 0;
  EXPECT_EQ(::read(reader.get(), &first, 1), 1) << "the victim died by itself";
  std::thread killer([&] {
    std::this_thread::sleep_for(patience);
    ::kill(child, SIGKILL);
  });
  std::string reported = first + os::read_all(reader.get(), 64U << 20U).value();
  killer.join();
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "the victim died by itself: " << status;
  return reported;
}

class StoreCrashTest : public StoreTest {
 protected:
  void SetUp() override {}

  // The last word on each run.
  void remember(const std::string& reported) {
    std::size_t start = 0;
    for (std::size_t end = reported.find('\n'); end != std::string::npos; end = reported.find('\n', start)) {
      steps_[reported.substr(start + 1, end - start - 1)] = reported[start];
      start = end + 1;
    }
    EXPECT_EQ(start, reported.size()) << "half a line";
  }

  void check(const std::string& run_id, char step) {
    const auto found = store_->find(run_id);
    ASSERT_TRUE(found) << run_id << ": " << base::describe(found.error());
    if (step == 'f') {
      ASSERT_TRUE(*found) << run_id << " was finished and is lost";
      EXPECT_EQ((*found)->summary.state, RunState::finished) << run_id;
    }
    if (step == 'd') {
      EXPECT_FALSE(*found) << run_id << " was deleted and is back";
    }
    const auto claim = store_->claim("acme", run_id, base::sha256_hex("code of " + run_id), "run_new", kNow);
    ASSERT_TRUE(claim);
    EXPECT_NE(claim->kind, Claim::Kind::claimed) << run_id << " could run twice";
    EXPECT_NE(claim->kind, Claim::Kind::running) << run_id;
    EXPECT_EQ(claim->run_id, run_id);
  }

  void check_every_record() {
    std::string cursor;
    do {
      const auto page = store_->list({}, cursor, 1000);
      ASSERT_TRUE(page);
      for (const RunSummary& run : page->runs) {
        const RunRecord record = get(run.run_id);
        EXPECT_EQ(record.request.code, "code of " + run.run_id);
        EXPECT_NE(run.state, RunState::running);
        EXPECT_EQ(record.result.has_value(), run.state == RunState::finished);
        if (record.result) {
          EXPECT_EQ(record.result->standard_output, output_of(run.run_id));
          ++finished_;
        } else {
          ++interrupted_;
        }
        EXPECT_TRUE(steps_.contains(run.run_id));
      }
      cursor = page->next_cursor;
    } while (!cursor.empty());
  }

  std::map<std::string, char> steps_;
  int finished_ = 0;
  int interrupted_ = 0;
};

TEST_F(StoreCrashTest, WhatWasFinishedSurvivesKillAtAnyInstant) {
  constexpr int kRounds = 15;
  std::mt19937 random(std::random_device{}());
  std::uniform_int_distribution<int> patience(0, 200'000);
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    remember(run_victim(directory(), round, std::chrono::microseconds(patience(random))));
    open();
    ASSERT_TRUE(store_->lock_for_serving()) << "the lock died with its holder";
    ASSERT_TRUE(store_->mark_interrupted(kNow));
    expect_sound();
    store_.reset();
  }
  open();
  for (const auto& [run_id, step] : steps_) {
    check(run_id, step);
  }
  check_every_record();
  RecordProperty("finished", finished_);
  RecordProperty("interrupted", interrupted_);
  EXPECT_GT(finished_, kRounds);
  EXPECT_GT(interrupted_, 0) << "no kill met a run in flight";
}

}  // namespace
}  // namespace glovebox::records

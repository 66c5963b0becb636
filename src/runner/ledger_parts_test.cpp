#include <gtest/gtest.h>

#include <thread>

#include "base/temporary_directory.h"
#include "records/test_support.h"
#include "runner/flights.h"
#include "runner/governor.h"
#include "runner/ledger.h"
#include "runner/replay.h"
#include "runner/request_hash.h"
#include "runner/result_cache.h"
#include "runner/text_diff.h"

namespace glovebox::runner {
namespace {

contract::RunResult result_with(std::string run_id, std::string output) {
  contract::RunResult result;
  result.run_id = std::move(run_id);
  result.outcome = contract::Outcome::ok;
  result.success = true;
  result.standard_output = std::move(output);
  return result;
}

TEST(ResultCache, ForgetsTheOldestTheLargestAndTheDeleted) {
  ResultCache cache(64U << 10U);
  cache.put("a", result_with("run_a", "one"), 100);
  EXPECT_EQ(cache.find("a", 100)->standard_output, "one");
  EXPECT_FALSE(cache.find("a", 101)) << "too old";
  EXPECT_FALSE(cache.find("a", 0)) << "and gone";
  cache.put("big", result_with("run_b", std::string(40U << 10U, 'x')), 100);
  EXPECT_FALSE(cache.find("big", 0));
  for (int index = 0; index < 100; ++index) {
    cache.put(std::to_string(index), result_with("run_" + std::to_string(index), "x"), 100);
  }
  EXPECT_LE(cache.bytes(), 64U << 10U);
  EXPECT_TRUE(cache.find("99", 0));
  EXPECT_FALSE(cache.find("0", 0));
  cache.forget_run("run_99");
  EXPECT_FALSE(cache.find("99", 0));
}

TEST(Governor, WhatIsLeftOfAMinuteIsWhatItWouldGrant) {
  const base::TemporaryDirectory directory("records");
  const auto store = std::move(records::open_sqlite_store(directory.path()).value());
  ServiceSettings settings;
  settings.quota.runs_per_minute = 3;
  Governor governor(*store, settings);
  Caller caller;
  const contract::RunRequest request;
  std::int64_t now = records::kNow;
  EXPECT_EQ(governor.use_of(caller.tenant, now).runs_this_minute, 0U);
  for (std::uint64_t used = 1; used <= 3; ++used) {
    EXPECT_TRUE(governor.permit(caller, request, now));
    now += 1;
    EXPECT_EQ(governor.use_of(caller.tenant, now).runs_this_minute, used) << "a millisecond gives nothing back";
  }
  EXPECT_FALSE(governor.permit(caller, request, now));
  now += 20'000;
  EXPECT_EQ(governor.use_of(caller.tenant, now).runs_this_minute, 2U) << "a third of a minute gives a third back";
  EXPECT_TRUE(governor.permit(caller, request, now));
  EXPECT_FALSE(governor.permit(caller, request, now - 60'000)) << "a clock that goes back gives nothing";
  EXPECT_EQ(governor.use_of(caller.tenant, now + 3'600'000).runs_this_minute, 0U);
}

TEST(Replay, NeedsAProgramThatRanToItsEnd) {
  records::RunRecord record;
  record.summary.state = records::RunState::running;
  EXPECT_NE(nothing_to_replay(record).find("not ended"), std::string::npos);
  record.summary.state = records::RunState::interrupted;
  EXPECT_NE(nothing_to_replay(record).find("interrupted"), std::string::npos);
  record.summary.state = records::RunState::finished;
  record.result = result_with("run_a", "");
  using contract::Outcome;
  for (const Outcome outcome : {Outcome::ok, Outcome::program_failed, Outcome::timeout, Outcome::memory_limit,
                                Outcome::denied, Outcome::invalid_output}) {
    record.result->outcome = outcome;
    EXPECT_EQ(nothing_to_replay(record), "");
  }
  for (const Outcome outcome :
       {Outcome::cancelled, Outcome::rejected, Outcome::setup_failed, Outcome::internal_error}) {
    record.result->outcome = outcome;
    EXPECT_NE(nothing_to_replay(record), "");
  }
}

TEST(Flights, OneLeadsAndTheOthersWait) {
  Flights flights;
  auto leader = std::make_unique<Flights::Seat>(flights.join("key"));
  ASSERT_TRUE(leader->leads());
  EXPECT_TRUE(flights.join("other").leads());
  Flights::Seat follower = flights.join("key");
  ASSERT_FALSE(follower.leads());
  std::atomic<bool> landed = false;
  std::jthread waiting([&] {
    follower.wait();
    EXPECT_TRUE(landed);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  landed = true;
  leader.reset();
  waiting.join();
  EXPECT_TRUE(flights.join("key").leads());
}

TEST(RequestHash, SeesEveryFieldButTheKeyAndTheCache) {
  contract::RunRequest request;
  request.code = "print(1)";
  const std::string plain = hash_of_request(request);
  const auto differs = [&](auto&& change) {
    contract::RunRequest other = request;
    change(other);
    return hash_of_request(other) != plain;
  };
  EXPECT_FALSE(differs([](auto& other) { other.idempotency_key = "k"; }));
  EXPECT_FALSE(differs([](auto& other) { other.cache = contract::CacheMode::refresh; }));
  EXPECT_TRUE(differs([](auto& other) { other.code = "print(2)"; }));
  EXPECT_TRUE(differs([](auto& other) { other.language = "bash"; }));
  EXPECT_TRUE(differs([](auto& other) { other.standard_input = "x"; }));
  EXPECT_TRUE(differs([](auto& other) { other.args = {"x"}; }));
  EXPECT_TRUE(differs([](auto& other) { other.env["x"] = "y"; }));
  EXPECT_TRUE(differs([](auto& other) { other.files.push_back({*base::RelPath::parse("f"), std::string("x")}); }));
  EXPECT_TRUE(differs([](auto& other) { other.input_json = "1"; }));
  EXPECT_TRUE(differs([](auto& other) { other.limits.input_rows = 7; }));
  EXPECT_TRUE(differs([](auto& other) { other.network.allow = {"a:1"}; }));
  EXPECT_TRUE(differs([](auto& other) { other.isolation = contract::Isolation::vm; }));
  EXPECT_TRUE(differs([](auto& other) { other.policy = "strict"; }));
  EXPECT_TRUE(differs([](auto& other) { other.artifacts = {"*"}; }));
  EXPECT_TRUE(differs([](auto& other) { other.expect_json = "{\"invariants\":[]}"; }));
  EXPECT_TRUE(differs([](auto& other) { other.deterministic = true; }));
  EXPECT_NE(cache_key_of(plain, "image", "policy"), cache_key_of(plain, "other", "policy"));
  EXPECT_NE(cache_key_of(plain, "image", "policy"), cache_key_of(plain, "image", "other"));
}

TEST(Cacheable, OnlyAnAnswerOfTheProgramsOwn) {
  contract::RunRequest request;
  contract::RunResult result = result_with("run_a", "1");
  EXPECT_TRUE(is_cacheable(request, result));
  for (const auto outcome : {contract::Outcome::timeout, contract::Outcome::setup_failed, contract::Outcome::cancelled,
                             contract::Outcome::internal_error, contract::Outcome::rejected}) {
    result.outcome = outcome;
    EXPECT_FALSE(is_cacheable(request, result)) << contract::to_string(outcome);
  }
  result.outcome = contract::Outcome::ok;
  result.provenance.enforced = {"seccomp", "degraded"};
  EXPECT_FALSE(is_cacheable(request, result));
  result.provenance.enforced.clear();
  request.network.allow = {"example.org:443"};
  EXPECT_FALSE(is_cacheable(request, result));
  request.network.allow.clear();
  request.cache = contract::CacheMode::off;
  EXPECT_FALSE(is_cacheable(request, result));
}

TEST(Replay, NamesWhatDiffersAndNothingElse) {
  contract::RunResult recorded = result_with("run_a", "one\ntwo\nthree\n");
  contract::RunResult replayed = recorded;
  replayed.run_id = "run_b";
  replayed.metrics.wall_ms = 17;
  EXPECT_TRUE(compare_results(recorded, replayed).empty()) << "times and ids are no difference";
  replayed.standard_output = "one\n2\nthree\n";
  replayed.artifacts.push_back({"out.csv", 3, "abc", "text/csv", "1\n"});
  const auto differences = compare_results(recorded, replayed);
  ASSERT_EQ(differences.size(), 2U);
  EXPECT_EQ(differences[0].field, "stdout");
  EXPECT_EQ(differences[0].diff, " one\n-two\n+2\n three\n");
  EXPECT_EQ(differences[1].field, "artifacts");
}

TEST(LineDiff, ShowsChangesWithTheirSurroundings) {
  EXPECT_EQ(line_diff("a\n", "a\n"), "");
  EXPECT_EQ(line_diff("", "a"), "+a\n\\ no newline at the end\n");
  EXPECT_EQ(line_diff("1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\n5\n6\n7\neight\n"), " 5\n 6\n 7\n-8\n+eight\n");
  const std::string long_text(5'000'000, '\n');
  EXPECT_LT(line_diff(long_text, "x" + long_text).size(), 64U << 10U);
}

}  // namespace
}  // namespace glovebox::runner

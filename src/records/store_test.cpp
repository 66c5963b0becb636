#include "records/store.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "records/test_support.h"

namespace glovebox::records {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

contract::RunRequest rich_request() {
  contract::RunRequest request;
  request.language = "javascript";
  request.code = "console.log(1)";
  request.standard_input = std::string("in\0put\xff", 7);
  request.args = {"a", "b c"};
  request.env = {{"NAME", "välue"}};
  contract::InputFile inline_file{*base::RelPath::parse("in/data.bin"), noise(1000)};
  contract::InputFile empty_file{*base::RelPath::parse("empty"), std::string()};
  contract::InputFile blob{*base::RelPath::parse("big.bin"), contract::BlobRef{base::sha256_hex("big")}};
  request.files = {inline_file, blob, empty_file};
  request.input_json = R"({"x":1267650600228229401496703205376})";
  request.limits.wall_ms = 1234;
  request.network.allow = {"example.org:443"};
  request.artifacts = {"*.png"};
  request.expect_json = R"({"artifacts":[{"path":"out.csv"}]})";
  request.cache = contract::CacheMode::off;
  request.idempotency_key = "once";
  request.deterministic = true;
  return request;
}

contract::RunResult rich_result() {
  contract::RunResult result;
  result.run_id = "run_a";
  result.outcome = contract::Outcome::program_failed;
  result.standard_output = "out \xff\xfe";
  result.standard_error = std::string(200'000, 'e');
  result.exit_code = 3;
  contract::RunError error;
  error.code = base::ErrorCode::runtime_error;
  error.message = "boom";
  error.line = 3;
  result.error = error;
  result.artifacts = {make_artifact("out/plot.png", noise(100'000)), make_artifact("out.csv", "a,b\n")};
  result.results = {{"value", "application/json", "[1,2]"}};
  result.metrics.wall_ms = 12.345;
  result.metrics.stages = {{"mount", 0.25}};
  result.denials = {{"socket(AF_INET)", "network is off", "seccomp", "network.allow", 2}};
  result.provenance.enforced = {"seccomp"};
  result.attempts = {{"warm", "program_failed"}};
  return result;
}

TEST_F(StoreTest, GivesBackEverythingThatItWasTold) {
  RunStart start = make_start("run_a");
  start.task_id = "task";
  start.idempotency_key = "once";
  start.cache_key = base::sha256_hex("cache");
  start.traceparent = "00-1-2-01";
  start.replay_of = "run_0";
  start.request = rich_request();
  RunEnd end = make_end("run_a");
  end.result = rich_result();
  end.redactions = {{"jwt", 3}, {"pem", 1}};
  end.cacheable = true;
  end.decision_json = R"({"decision":"allow"})";
  put(start, end);

  const RunRecord record = get("run_a");
  EXPECT_EQ(record.request, start.request);
  contract::RunResult expected = end.result;
  for (contract::Artifact& artifact : expected.artifacts) {
    artifact.content.clear();
  }
  ASSERT_TRUE(record.result);
  EXPECT_EQ(*record.result, expected);
  EXPECT_EQ(record.summary.tenant, "acme");
  EXPECT_EQ(record.summary.key_id, "key_1");
  EXPECT_EQ(record.summary.task_id, "task");
  EXPECT_EQ(record.summary.replay_of, "run_0");
  EXPECT_EQ(record.summary.language, "javascript");
  EXPECT_EQ(record.summary.state, RunState::finished);
  EXPECT_EQ(record.summary.outcome, contract::Outcome::program_failed);
  EXPECT_EQ(record.summary.created_ms, start.created_ms);
  EXPECT_EQ(record.summary.finished_ms, end.finished_ms);
  EXPECT_EQ(record.summary.redactions, 4U);
  EXPECT_EQ(record.idempotency_key, "once");
  EXPECT_EQ(record.request_sha256, start.request_sha256);
  EXPECT_EQ(record.cache_key, start.cache_key);
  EXPECT_TRUE(record.cacheable);
  EXPECT_EQ(record.traceparent, start.traceparent);
  EXPECT_EQ(record.decision_json, end.decision_json);
  EXPECT_EQ(record.audit_seq, 1U);
  EXPECT_EQ(record.contents.size(), 8U);

  const auto plot = store_->artifact("run_a", "out/plot.png");
  ASSERT_TRUE(plot && *plot);
  EXPECT_EQ((*plot)->bytes, end.result.artifacts[0].content);
  EXPECT_EQ((*plot)->sha256, end.result.artifacts[0].sha256);
  EXPECT_EQ((*plot)->media_type, "application/octet-stream");
  EXPECT_FALSE(*store_->artifact("run_a", "in/data.bin"));
  EXPECT_FALSE(*store_->artifact("run_a", "../glovebox.db"));
  EXPECT_FALSE(*store_->find("run_b"));
  expect_sound();
}

TEST_F(StoreTest, KeepsItselfToItself) {
  const auto mode_of = [](const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 0777U;
  };
  put("run_a");
  EXPECT_EQ(mode_of(directory()), 0700U);
  for (const char* name : {"/glovebox.db", "/glovebox.db-wal", "/glovebox.db-shm", "/audit.head"}) {
    EXPECT_EQ(mode_of(directory() + name), 0600U) << name;
  }
}

TEST_F(StoreTest, ARunIsRunningUntilItEnds) {
  ASSERT_TRUE(store_->begin(make_start("run_a")));
  std::optional<RunRecord> record;
  for (int attempt = 0; attempt < 200 && !record; ++attempt) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    record = *store_->find("run_a");
  }
  ASSERT_TRUE(record) << "the start was not written in the background";
  EXPECT_EQ(record->summary.state, RunState::running);
  EXPECT_FALSE(record->result);
  EXPECT_FALSE(store_->remove("run_a", "me", kNow)) << "a run in flight must stay";
  ASSERT_TRUE(store_->finish(make_end("run_a")));
  EXPECT_EQ(get("run_a").summary.state, RunState::finished);
  EXPECT_EQ(get("run_a").result->standard_output, "1\n");
  EXPECT_FALSE(store_->finish(make_end("run_a"))) << "it has ended";
  EXPECT_FALSE(store_->finish(make_end("run_b"))) << "it never began";
  expect_sound();
}

TEST_F(StoreTest, AnIdIsUsedOnce) {
  put("run_a");
  EXPECT_FALSE(store_->record(make_start("run_a"), make_end("run_a")));
  ASSERT_TRUE(store_->begin(make_start("run_b")));
  EXPECT_FALSE(store_->begin(make_start("run_b")));
  ASSERT_TRUE(store_->finish(make_end("run_b")));
  expect_sound();
}

TEST_F(StoreTest, RefusesARequestThatCouldNotBeReadBack) {
  RunStart start = make_start("run_a");
  start.request.limits.wall_ms = 0;
  EXPECT_EQ(store_->begin(start).error().code, base::ErrorCode::invalid_request);
  start = make_start("run_a");
  start.tenant.clear();
  EXPECT_FALSE(store_->begin(start));
}

TEST_F(StoreTest, ListsPageByPageNewestFirst) {
  for (int index = 0; index < 10; ++index) {
    RunStart start = make_start("run_" + std::to_string(index));
    start.created_ms = kNow + index / 2;  // two of each moment
    put(start, make_end(start.run_id));
  }
  std::vector<std::string> seen;
  std::string cursor;
  do {
    const auto page = store_->list({}, cursor, 3);
    ASSERT_TRUE(page);
    EXPECT_LE(page->runs.size(), 3U);
    for (const RunSummary& run : page->runs) {
      seen.push_back(run.run_id);
    }
    cursor = page->next_cursor;
  } while (!cursor.empty());
  EXPECT_THAT(seen,
              ElementsAre("run_9", "run_8", "run_7", "run_6", "run_5", "run_4", "run_3", "run_2", "run_1", "run_0"));
  for (const char* bad : {"x", "1", "1-", "-", "1-2x", "1--2", "' OR 1=1"}) {
    EXPECT_EQ(store_->list({}, bad, 3).error().field, "cursor") << bad;
  }
}

TEST_F(StoreTest, ListsWhatTheFilterAsksFor) {
  put("run_plain");
  RunStart start = make_start("run_other");
  start.tenant = "other";
  start.task_id = "task";
  start.created_ms = kNow + 100;
  start.request.language = "bash";
  RunEnd end = make_end("run_other");
  end.result.outcome = contract::Outcome::timeout;
  end.result.success = false;
  put(start, end);
  const auto ids = [&](const RunFilter& filter) {
    std::vector<std::string> seen;
    const RunPage page = store_->list(filter, "", 100).value();
    for (const RunSummary& run : page.runs) {
      seen.push_back(run.run_id);
    }
    return seen;
  };
  RunFilter filter;
  filter.tenant = "other";
  EXPECT_THAT(ids(filter), ElementsAre("run_other"));
  filter = {};
  filter.outcome = contract::Outcome::timeout;
  EXPECT_THAT(ids(filter), ElementsAre("run_other"));
  filter = {};
  filter.language = "python";
  EXPECT_THAT(ids(filter), ElementsAre("run_plain"));
  filter = {};
  filter.task_id = "task";
  EXPECT_THAT(ids(filter), ElementsAre("run_other"));
  filter.task_id = "";
  EXPECT_THAT(ids(filter), ElementsAre("run_plain"));
  filter = {};
  filter.state = RunState::running;
  EXPECT_THAT(ids(filter), ElementsAre());
  filter = {};
  filter.since_ms = kNow + 1;
  EXPECT_THAT(ids(filter), ElementsAre("run_other"));
  filter = {};
  filter.until_ms = kNow + 100;
  EXPECT_THAT(ids(filter), ElementsAre("run_plain"));
  filter.tenant = "' OR 1 --";
  EXPECT_THAT(ids(filter), ElementsAre());
}

TEST_F(StoreTest, RunsThatTheServiceLeftBecomeInterrupted) {
  ASSERT_TRUE(store_->begin(make_start("run_of_another_process")));
  ASSERT_TRUE(store_->lock_for_serving());
  RunStart start = make_start("run_a");
  start.idempotency_key = "once";
  ASSERT_EQ(store_->claim("acme", "once", start.request_sha256, "run_a", kNow)->kind, Claim::Kind::claimed);
  ASSERT_EQ(store_->claim("acme", "early", "hash", "run_never", kNow)->kind, Claim::Kind::claimed);
  ASSERT_TRUE(store_->begin(start));
  open();
  ASSERT_TRUE(store_->lock_for_serving());
  EXPECT_EQ(store_->mark_interrupted(kNow + 50).value(), 1U);
  EXPECT_EQ(store_->mark_interrupted(kNow + 50).value(), 0U);
  const RunRecord record = get("run_a");
  EXPECT_EQ(record.summary.state, RunState::interrupted);
  EXPECT_EQ(record.summary.finished_ms, kNow + 50);
  EXPECT_EQ(record.request.code, "print(1)\n");
  EXPECT_FALSE(record.result);
  EXPECT_EQ(get("run_of_another_process").summary.state, RunState::running);
  EXPECT_EQ(*store_->claim("acme", "once", start.request_sha256, "run_b", kNow),
            (Claim{Claim::Kind::interrupted, "run_a"}));
  EXPECT_EQ(*store_->claim("acme", "early", "hash", "run_b", kNow), (Claim{Claim::Kind::interrupted, "run_never"}));
  EXPECT_EQ(store_->mark_interrupted(kNow + 2 * 86'400'000).value(), 1U) << "others' runs after a day";
  expect_sound();
}

TEST_F(StoreTest, OneServicePerDirectory) {
  ASSERT_TRUE(store_->lock_for_serving());
  auto second = open_sqlite_store(directory());
  ASSERT_TRUE(second) << "others may work on the same database";
  ASSERT_TRUE((*second)->record(make_start("run_a"), make_end("run_a")));
  EXPECT_EQ(get("run_a").summary.run_id, "run_a");
  const auto refused = (*second)->lock_for_serving();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr(directory()));
  store_.reset();
  EXPECT_TRUE((*second)->lock_for_serving());
}

TEST_F(StoreTest, TwoProcessesShareOneAuditLog) {
  auto second = open_sqlite_store(directory());
  ASSERT_TRUE(second);
  for (int index = 0; index < 5; ++index) {
    put("run_a" + std::to_string(index));
    const std::string other = "run_b" + std::to_string(index);
    ASSERT_TRUE((*second)->record(make_start(other), make_end(other)));
  }
  EXPECT_EQ(store_->audit_anchor()->seq, 10U);
  expect_sound();
}

TEST_F(StoreTest, FindsCachedRunsOfTheSameTenantOnly) {
  const auto put_cached = [&](const std::string& run_id, std::int64_t finished_ms, bool cacheable) {
    RunStart start = make_start(run_id);
    start.cache_key = "key";
    RunEnd end = make_end(run_id);
    end.finished_ms = finished_ms;
    end.cacheable = cacheable;
    put(start, end);
  };
  put_cached("run_old", kNow, true);
  put_cached("run_new", kNow + 100, true);
  put_cached("run_failed", kNow + 200, false);
  EXPECT_EQ(store_->find_cached("acme", "key", kNow).value(), "run_new");
  EXPECT_EQ(store_->find_cached("acme", "key", kNow + 101).value(), std::nullopt);
  EXPECT_EQ(store_->find_cached("other", "key", kNow).value(), std::nullopt);
  EXPECT_EQ(store_->find_cached("acme", "other", kNow).value(), std::nullopt);
  EXPECT_EQ(store_->find_cached("acme", "", 0).value(), std::nullopt);
}

TEST_F(StoreTest, AClaimFollowsItsRun) {
  RunStart start = make_start("run_a");
  start.idempotency_key = "once";
  const std::string hash = start.request_sha256;
  EXPECT_EQ(*store_->claim("acme", "once", hash, "run_a", kNow), (Claim{Claim::Kind::claimed, "run_a"}));
  EXPECT_EQ(*store_->claim("acme", "once", hash, "run_b", kNow), (Claim{Claim::Kind::running, "run_a"}));
  EXPECT_EQ(*store_->claim("acme", "once", "another", "run_b", kNow), (Claim{Claim::Kind::conflict, "run_a"}));
  EXPECT_EQ(store_->claim("other", "once", "another", "run_o", kNow)->kind, Claim::Kind::claimed);
  ASSERT_TRUE(store_->begin(start));
  ASSERT_TRUE(store_->finish(make_end("run_a")));
  EXPECT_EQ(*store_->claim("acme", "once", hash, "run_b", kNow), (Claim{Claim::Kind::finished, "run_a"}));
  ASSERT_TRUE(store_->release_claim("acme", "once", "run_a"));
  EXPECT_EQ(store_->claim("acme", "once", hash, "run_b", kNow)->kind, Claim::Kind::finished) << "it did happen";
  ASSERT_TRUE(*store_->remove("run_a", "me", kNow));
  EXPECT_EQ(*store_->claim("acme", "once", hash, "run_b", kNow), (Claim{Claim::Kind::deleted, "run_a"}));
  ASSERT_TRUE(store_->release_claim("other", "once", "run_o"));
  EXPECT_EQ(store_->claim("other", "once", hash, "run_p", kNow)->kind, Claim::Kind::claimed);
}

TEST_F(StoreTest, RemovingTakesContentsThatNobodyElseHas) {
  RunStart start = make_start("run_a");
  RunEnd end = make_end("run_a");
  end.result.artifacts = {make_artifact("shared", noise(100'000)), make_artifact("own", noise(100'000, 2))};
  put(start, end);
  const std::uint64_t one_run = store_->stored_bytes("acme").value();
  end.run_id = start.run_id = "run_b";
  end.result.artifacts.pop_back();
  put(start, end);
  EXPECT_GT(store_->stored_bytes("acme").value(), one_run + 100'000);
  EXPECT_EQ(store_->stored_bytes("").value(), store_->stored_bytes("acme").value());

  EXPECT_TRUE(*store_->remove("run_a", "admin", kNow));
  EXPECT_FALSE(*store_->remove("run_a", "admin", kNow));
  EXPECT_FALSE(*store_->find("run_a"));
  EXPECT_EQ((*store_->artifact("run_b", "shared"))->bytes, noise(100'000));
  const auto files = [&] {
    int count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory() + "/contents")) {
      count += entry.is_regular_file() ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(files(), 1);
  EXPECT_TRUE(*store_->remove("run_b", "admin", kNow));
  EXPECT_EQ(files(), 0);
  EXPECT_EQ(store_->stored_bytes("").value(), 0U);
  EXPECT_EQ(store_->audit_entries(3, 10)->front().event.kind, "run_deleted");
  EXPECT_EQ(store_->audit_entries(3, 10)->front().event.actor, "admin");
  expect_sound();
}

TEST_F(StoreTest, RetentionByAgeTakesTheOldest) {
  for (int index = 0; index < 250; ++index) {
    RunStart start = make_start("run_" + std::to_string(index));
    start.created_ms = kNow + index;
    start.task_id = "task";
    put(start, make_end(start.run_id));
  }
  ASSERT_TRUE(store_->begin([] {
    RunStart start = make_start("run_in_flight");
    start.created_ms = 1;
    return start;
  }()));
  Retention retention;
  retention.max_age_ms = 1000;
  const auto report = store_->apply_retention(retention, kNow + 1000 + 240);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->runs, 240U);
  EXPECT_GT(report->stored_bytes, 0U);
  EXPECT_TRUE(*store_->find("run_240"));
  EXPECT_FALSE(*store_->find("run_239"));
  EXPECT_TRUE(store_->finish(make_end("run_in_flight")));
  EXPECT_EQ(store_->usage("acme", kNow, kNow + 3'600'000, 3'600'000)->front().runs, 251U) << "usage survives";
  EXPECT_EQ(store_->apply_retention({}, kNow * 2)->runs, 0U) << "no bounds, nothing to do";
  expect_sound();
}

TEST_F(StoreTest, RetentionBySizeStopsWhenThereIsRoom) {
  for (int index = 10; index < 30; ++index) {
    RunStart start = make_start("run_" + std::to_string(index), noise(10'000, static_cast<std::uint64_t>(index)));
    start.created_ms = kNow + index;
    put(start, make_end(start.run_id));
  }
  const std::uint64_t all = store_->stored_bytes("").value();
  Retention retention;
  retention.max_bytes = all / 2;
  EXPECT_EQ(store_->apply_retention(retention, kNow)->runs, 10U);
  EXPECT_LE(store_->stored_bytes("").value(), all / 2);
  EXPECT_FALSE(*store_->find("run_19"));
  EXPECT_TRUE(*store_->find("run_20"));
  expect_sound();
}

TEST_F(StoreTest, CountsTasksAndHours) {
  constexpr std::int64_t kHour = 3'600'000;
  const auto put_at = [&](const std::string& run_id, std::int64_t finished_ms, bool success, bool cached) {
    RunStart start = make_start(run_id);
    start.task_id = "task";
    RunEnd end = make_end(run_id, "12345");
    end.finished_ms = finished_ms;
    end.result.success = success;
    end.result.cached = cached;
    end.result.artifacts = {make_artifact("a", "123")};
    put(start, end);
  };
  put_at("run_a", 10 * kHour, true, false);
  put_at("run_b", 10 * kHour + 1, false, false);
  put_at("run_c", 12 * kHour, true, true);
  const auto task = store_->task_usage("acme", "task");
  EXPECT_EQ(*task, (TaskUsage{3, 1, 3.0, 1.0, 15, 9}));
  EXPECT_EQ(*store_->task_usage("other", "task"), TaskUsage());

  const UsageBucket tenth{10 * kHour, 2, 1, 0, 3.0, 1.0, 10, 6};
  const UsageBucket twelfth{12 * kHour, 1, 0, 1, 0, 0, 5, 3};
  EXPECT_THAT(*store_->usage("acme", 10 * kHour + 5, 13 * kHour, kHour), ElementsAre(tenth, twelfth));
  EXPECT_THAT(*store_->usage("", 10 * kHour, 12 * kHour, 1), ElementsAre(tenth));
  EXPECT_THAT(*store_->usage("other", 0, 13 * kHour, kHour), ElementsAre());
  const UsageBucket all{9 * kHour, 3, 1, 1, 3.0, 1.0, 15, 9};
  EXPECT_THAT(*store_->usage("acme", 9 * kHour, 13 * kHour, 24 * kHour), ElementsAre(all));
  EXPECT_TRUE(store_->usage("", INT64_MIN, INT64_MAX, INT64_MAX));
}

TEST_F(StoreTest, KeysAreFoundByTheHashOfTheirSecret) {
  EXPECT_FALSE(*store_->any_key());
  KeyRecord key;
  key.id = "key_1";
  key.name = "laptop";
  key.tenant = "acme";
  key.secret_sha256 = base::sha256_hex("secret");
  key.scopes = {"runs:write", "runs:read"};
  key.created_ms = kNow;
  key.expires_ms = kNow + 100;
  ASSERT_TRUE(store_->add_key(key, "root"));
  EXPECT_FALSE(store_->add_key(key, "root"));
  EXPECT_TRUE(*store_->any_key());
  EXPECT_EQ(*store_->find_key(key.secret_sha256), key);
  EXPECT_EQ(*store_->find_key(base::sha256_hex("other")), std::nullopt);
  EXPECT_THAT(*store_->keys(), ElementsAre(key));

  store_->note_key_use("key_1", kNow + 7);
  store_->note_key_use("key_1", kNow + 6);
  EXPECT_TRUE(*store_->revoke_key("key_1", "root", kNow + 5));
  EXPECT_FALSE(*store_->revoke_key("key_1", "root", kNow + 6));
  EXPECT_FALSE(*store_->revoke_key("key_2", "root", kNow + 6));
  open();
  key.revoked_ms = kNow + 5;
  key.last_used_ms = kNow + 7;
  EXPECT_EQ(*store_->find_key(key.secret_sha256), key);
  EXPECT_TRUE(*store_->any_key()) << "a revoked key still ends the time without keys";

  key.id = "key_2";
  key.secret_sha256 = "the secret itself";
  EXPECT_FALSE(store_->add_key(key, "root"));
  key.secret_sha256 = base::sha256_hex("secret 2");
  key.scopes = {"two words"};
  EXPECT_FALSE(store_->add_key(key, "root"));
  EXPECT_EQ(store_->audit_anchor()->seq, 2U);
  expect_sound();
}

TEST_F(StoreTest, QuotasAndTheStopSwitchSurviveARestart) {
  const Quota quota{4, 60, 1000, 1 << 20};
  EXPECT_EQ(*store_->quota("acme"), Quota());
  ASSERT_TRUE(store_->set_quota("acme", quota, "root", kNow));
  EXPECT_EQ(*store_->stopped(), std::nullopt);
  const Stopped stopped{"incident", "root", kNow};
  ASSERT_TRUE(store_->stop(stopped));
  open();
  EXPECT_EQ(*store_->quota("acme"), quota);
  EXPECT_THAT(*store_->quotas(), ElementsAre(TenantQuota{"acme", quota}));
  EXPECT_EQ(*store_->stopped(), stopped);
  ASSERT_TRUE(store_->resume("root", "all is well", kNow + 1));
  ASSERT_TRUE(store_->resume("root", "all is well", kNow + 2));
  EXPECT_EQ(*store_->stopped(), std::nullopt);
  std::vector<std::string> kinds;
  const std::vector<AuditEntry> entries = store_->audit_entries(0, 10).value();
  for (const AuditEntry& entry : entries) {
    kinds.push_back(entry.event.kind);
  }
  EXPECT_THAT(kinds, ElementsAre("quota_changed", "service_stopped", "service_resumed"));
}

TEST_F(StoreTest, ADirectoryInThePlaceOfTheDatabaseIsRefused) {
  store_.reset();
  std::filesystem::create_directories(temporary_.path() + "/odd/glovebox.db");
  EXPECT_FALSE(open_sqlite_store(temporary_.path() + "/odd"));
  std::filesystem::create_directories(temporary_.path() + "/text");
  std::ofstream(temporary_.path() + "/text/glovebox.db") << std::string(8192, 'x');
  EXPECT_FALSE(open_sqlite_store(temporary_.path() + "/text"));
}

}  // namespace
}  // namespace glovebox::records

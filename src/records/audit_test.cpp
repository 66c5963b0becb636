#include "records/audit.h"

#include <gmock/gmock.h>
#include <sqlite3.h>

#include <fstream>

#include "records/test_support.h"

namespace glovebox::records {
namespace {

using What = AuditProblem::What;

// A log of ten entries and six records; every test tampers with a copy.
class AuditTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    for (int index = 1; index <= 6; ++index) {
      const std::string run_id = "run_" + std::to_string(index);
      RunStart start = make_start(run_id);
      start.created_ms = kNow + index;
      start.request.code = noise(1000, static_cast<std::uint64_t>(index));
      put(start, make_end(run_id, run_id + " says this"));
    }
    ASSERT_TRUE(*store_->remove("run_5", "root", kNow));  // 7
    Retention retention;
    retention.max_age_ms = 1000;
    ASSERT_TRUE(store_->apply_retention(retention, kNow + 1002));  // 8: run_1
    AuditEvent event;
    event.time_ms = kNow;
    event.kind = "config_loaded";
    event.actor = "root";
    event.detail_json = "{ \"file\": \"a\" }";
    ASSERT_TRUE(store_->append_audit(event));                  // 9
    ASSERT_TRUE(store_->set_quota("acme", {}, "root", kNow));  // 10
    expect_sound();
    anchor_ = *store_->audit_anchor();
    ASSERT_EQ(anchor_.seq, 10U);
    store_.reset();
  }

  // What verification says after this SQL was run on a copy.
  std::optional<AuditProblem> after(const std::string& sql, const std::vector<Anchor>& anchors = {}) {
    copy_ = temporary_.path() + "/copy";
    std::filesystem::remove_all(copy_);
    std::filesystem::copy(directory(), copy_, std::filesystem::copy_options::recursive);
    run_sql(sql);
    return verify_copy(anchors);
  }
  void run_sql(const std::string& sql) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(::sqlite3_open((copy_ + "/glovebox.db").c_str(), &handle), SQLITE_OK);
    char* message = nullptr;
    EXPECT_EQ(::sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK)
        << (message != nullptr ? message : "");
    ::sqlite3_close(handle);
  }
  std::optional<AuditProblem> verify_copy(const std::vector<Anchor>& anchors = {}) {
    auto opened = open_sqlite_store(copy_);
    EXPECT_TRUE(opened);
    const auto report = (*opened)->verify_audit(anchors);
    EXPECT_TRUE(report) << base::describe(report.error());
    return report->problem;
  }
  void expect(const std::optional<AuditProblem>& problem, What what, std::uint64_t seq) {
    ASSERT_TRUE(problem);
    EXPECT_EQ(to_string(problem->what), to_string(what)) << problem->message;
    EXPECT_EQ(problem->seq, seq) << problem->message;
    EXPECT_FALSE(problem->message.empty());
  }

  std::string copy_;
  Anchor anchor_;
};

TEST_F(AuditTest, AnUntouchedCopyIsSound) {
  EXPECT_FALSE(after("", {anchor_}));
  const auto opened = open_sqlite_store(directory());
  const auto report = (*opened)->verify_audit({});
  EXPECT_EQ(report->entries, 10U);
  EXPECT_EQ(report->runs, 4U);
  EXPECT_EQ(report->head, anchor_);
}

TEST_F(AuditTest, FindsAChangeOfEveryField) {
  for (const char* change :
       {"time_ms = time_ms + 1", "kind = 'run_refused'", "actor = 'nobody'", "subject = 'run_9'", "detail_json = '{}'",
        "hash = '"
        "0000000000000000000000000000000000000000000000000000000000000000"
        "'"}) {
    expect(after(std::string("UPDATE audit SET ") + change + " WHERE seq = 3"), What::changed, 3);
  }
}

TEST_F(AuditTest, FindsAMissingEntry) {
  expect(after("DELETE FROM audit WHERE seq = 4"), What::missing, 4);
  expect(after("DELETE FROM audit WHERE seq = 1"), What::missing, 1);
  expect(after("DELETE FROM audit WHERE seq = 4; UPDATE audit SET seq = -seq WHERE seq > 4;"
               "UPDATE audit SET seq = -seq - 1 WHERE seq < 0;"),
         What::changed, 4);
}

TEST_F(AuditTest, FindsEntriesInAnotherOrder) {
  expect(after("UPDATE audit SET seq = 100 WHERE seq = 3; UPDATE audit SET seq = 3 WHERE seq = 6;"
               "UPDATE audit SET seq = 6 WHERE seq = 100;"),
         What::out_of_order, 3);
}

TEST_F(AuditTest, FindsACutEnd) {
  expect(after("DELETE FROM audit WHERE seq > 8"), What::cut, 9);
  expect(after("DELETE FROM audit"), What::cut, 1);
}

TEST_F(AuditTest, ACutEndIsStillFoundWhenTheLogHasGrownSince) {
  after("DELETE FROM audit WHERE seq > 8");
  for (int index = 0; index < 5; ++index) {
    auto opened = open_sqlite_store(copy_);
    AuditEvent event;
    event.kind = "service_started";
    ASSERT_TRUE((*opened)->append_audit(event));
  }
  expect(verify_copy(), What::rewritten, 10);
}

TEST_F(AuditTest, ACutUnderARunningServiceIsFound) {
  after("");
  auto opened = open_sqlite_store(copy_);
  AuditEvent event;
  event.kind = "service_started";
  ASSERT_TRUE((*opened)->append_audit(event));
  run_sql("DELETE FROM audit WHERE seq > 9");
  ASSERT_TRUE((*opened)->append_audit(event));
  ASSERT_TRUE((*opened)->append_audit(event));
  ASSERT_TRUE((*opened)->append_audit(event));
  expect(verify_copy(), What::rewritten, 11);
}

TEST_F(AuditTest, AnchorsFindAConsistentRewriting) {
  // Everything written anew, with good hashes and a good head.
  copy_ = temporary_.path() + "/copy";
  {
    auto forged = open_sqlite_store(copy_);
    AuditEvent event;
    event.kind = "service_started";
    for (int index = 0; index < 12; ++index) {
      ASSERT_TRUE((*forged)->append_audit(event));
    }
  }
  EXPECT_FALSE(verify_copy());
  expect(verify_copy({anchor_}), What::rewritten, 10);
  Anchor later = anchor_;
  later.seq = 13;
  expect(verify_copy({later}), What::cut, 13);
}

TEST_F(AuditTest, TheHeadFileIsPartOfTheLog) {
  after("");
  std::filesystem::remove(copy_ + "/audit.head");
  expect(verify_copy(), What::head_missing, 0);
  std::ofstream(copy_ + "/audit.head") << "{\"seq\":";
  expect(verify_copy(), What::head_missing, 0);
}

TEST_F(AuditTest, AHeadFileThatIsBehindIsNoProblem) {
  after("");
  Anchor third;
  third.seq = 3;
  {
    auto opened = open_sqlite_store(copy_);
    third.hash = (*opened)->audit_entries(2, 1)->front().hash;
  }
  std::ofstream(copy_ + "/audit.head") << to_json(third);
  EXPECT_FALSE(verify_copy());
}

TEST_F(AuditTest, FindsChangedRecords) {
  for (const char* change :
       {"UPDATE runs SET tenant = 'other' WHERE run_id = 'run_3'",
        "UPDATE runs SET outcome = 'timeout' WHERE number = 3", "UPDATE runs SET success = 0 WHERE run_id = 'run_3'",
        "UPDATE runs SET state = 'running' WHERE run_id = 'run_3'",
        "UPDATE runs SET wall_ms = 2 WHERE run_id = 'run_3'", "UPDATE runs SET created_ms = 2 WHERE run_id = 'run_3'",
        "UPDATE runs SET redactions = 9 WHERE run_id = 'run_3'", "UPDATE runs SET cacheable = 1 WHERE run_id = 'run_3'",
        "UPDATE run_texts SET request_json = request_json || ' ' WHERE number = 3",
        "UPDATE run_texts SET result_json = replace(result_json, 'ok', 'no') WHERE number = 3",
        "UPDATE run_texts SET decision_json = '{}' WHERE number = 3",
        "UPDATE run_texts SET result_json = NULL WHERE number = 3",
        "DELETE FROM run_contents WHERE number = 3 AND role = 'stdout'",
        "UPDATE run_contents SET path = 'x' WHERE number = 3 AND role = 'code'",
        "UPDATE run_contents SET data = x'41' WHERE number = 3 AND role = 'stdout'",
        "UPDATE run_contents SET sha256 = 'x' WHERE number = 3 AND role = 'stdout'",
        "UPDATE run_contents SET content_id = (SELECT content_id FROM run_contents WHERE number = 4 AND role = 'code')"
        " WHERE number = 3 AND role = 'code'"}) {
    SCOPED_TRACE(change);
    expect(after(change), What::run_changed, 3);
  }
}

TEST_F(AuditTest, FindsRecordsThatWentAwayOrCameFromNowhere) {
  expect(after("DELETE FROM runs WHERE run_id = 'run_3'"), What::run_missing, 3);
  expect(after("UPDATE runs SET run_id = 'run_x' WHERE run_id = 'run_3'"), What::run_missing, 3);
  expect(after("UPDATE runs SET audit_seq = 4 WHERE run_id = 'run_3'"), What::run_missing, 3);
  expect(after("INSERT INTO runs SELECT 99, 'run_99', tenant, key_id, task_id, replay_of, language, state, outcome, "
               "success, cached, cacheable, created_ms, finished_ms, wall_ms, cpu_ms, redactions, stored_bytes, "
               "idempotency_key, request_sha256, cache_key, traceparent, served, audit_seq, error_code FROM runs WHERE "
               "number = 3"),
         What::run_without_entry, 0);
}

// The entry of its removal has the run's name too, and vouches for nothing.
TEST_F(AuditTest, FindsARecordThatCameBackAfterItsRemoval) {
  {
    auto opened = open_sqlite_store(directory());
    ASSERT_TRUE(*(*opened)->remove("run_4", "ann", kNow));
  }
  expect(after("INSERT INTO runs SELECT 99, 'run_4', tenant, key_id, task_id, replay_of, language, state, outcome, "
               "success, cached, cacheable, created_ms, finished_ms, wall_ms, cpu_ms, redactions, stored_bytes, "
               "idempotency_key, request_sha256, cache_key, traceparent, served, (SELECT max(seq) FROM audit), "
               "error_code FROM runs WHERE number = 3"),
         What::run_without_entry, 0);
}

TEST_F(AuditTest, OnlyTheStoreWritesEntriesOfRuns) {
  auto opened = open_sqlite_store(directory());
  AuditEvent event;
  for (const char* kind :
       {"run_finished", "run_refused", "run_interrupted", "run_deleted", "retention", "", "Odd kind", "drop'table"}) {
    event.kind = kind;
    EXPECT_FALSE((*opened)->append_audit(event)) << kind;
  }
  event.kind = "config_loaded";
  event.detail_json = "{";
  EXPECT_FALSE((*opened)->append_audit(event));
}

TEST(AnchorTest, ReadsBackWhatItWrote) {
  const Anchor anchor{7, base::sha256_hex("x"), kNow};
  EXPECT_EQ(parse_anchor(to_json(anchor)).value(), anchor);
  for (const char* bad : {"", "{}", "[]", R"({"seq":1,"hash":"abc","time_ms":1})", R"({"seq":-1})"}) {
    EXPECT_FALSE(parse_anchor(bad)) << bad;
  }
  EXPECT_FALSE(parse_anchor(to_json(anchor) + to_json(anchor)));
}

TEST(AuditHashTest, FieldsCannotFlowIntoEachOther) {
  AuditEvent left;
  left.actor = "ab";
  left.subject = "c";
  AuditEvent right;
  right.actor = "a";
  right.subject = "bc";
  EXPECT_NE(audit_hash(kNoHash, 1, left), audit_hash(kNoHash, 1, right));
  EXPECT_NE(audit_hash(kNoHash, 1, left), audit_hash(kNoHash, 2, left));
  EXPECT_NE(audit_hash(kNoHash, 1, left), audit_hash(base::sha256_hex("x"), 1, left));
}

}  // namespace
}  // namespace glovebox::records

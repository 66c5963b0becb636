#include "records/schema.h"

#include <gmock/gmock.h>
#include <sqlite3.h>

#include <fstream>

#include "base/temporary_directory.h"
#include "records/test_support.h"

namespace glovebox::records {
namespace {

using testing::HasSubstr;

class SchemaTest : public testing::Test {
 protected:
  void SetUp() override { std::ofstream(path()).flush(); }
  [[nodiscard]] std::string path() const { return temporary_.path() + "/some.db"; }
  [[nodiscard]] Database open() const { return std::move(*Database::open(path(), Database::Access::read_write)); }
  static std::int64_t number(Database& database, const char* sql) {
    auto statement = database.prepare_once(sql);
    EXPECT_TRUE(statement) << statement.error().message;
    EXPECT_TRUE(statement->step().value());
    return statement->integer(0);
  }
  base::TemporaryDirectory temporary_{"records"};
};

constexpr const char* kThree[] = {"CREATE TABLE one (a)", "CREATE TABLE two (a); INSERT INTO one VALUES (2)",
                                  "INSERT INTO one VALUES (3)"};

TEST_F(SchemaTest, TakesADatabaseFromAnyVersionToTheLast) {
  Database database = open();
  ASSERT_TRUE(migrate(database, std::span(kThree).first(1)));
  ASSERT_TRUE(database.execute("INSERT INTO one VALUES (1)"));
  ASSERT_TRUE(migrate(database, kThree));
  ASSERT_TRUE(migrate(database, kThree));
  EXPECT_EQ(number(database, "SELECT group_concat(a, '') FROM one"), 123);
  EXPECT_EQ(number(database, "PRAGMA user_version"), 3);
}

TEST_F(SchemaTest, AMigrationHappensWholeOrNotAtAll) {
  Database database = open();
  constexpr const char* kBroken[] = {kThree[0], "CREATE TABLE two (a)", "INSERT INTO three VALUES (1)"};
  EXPECT_FALSE(migrate(database, kBroken));
  EXPECT_FALSE(database.in_transaction());
  EXPECT_EQ(number(database, "PRAGMA user_version"), 0);
  EXPECT_EQ(number(database, "SELECT count(*) FROM sqlite_schema"), 0);
  EXPECT_TRUE(migrate(database, kThree));
}

TEST_F(SchemaTest, ANewerDatabaseIsRefused) {
  const std::string directory = temporary_.path() + "/data";
  ASSERT_TRUE(open_sqlite_store(directory));
  sqlite3* handle = nullptr;
  ASSERT_EQ(::sqlite3_open((directory + "/glovebox.db").c_str(), &handle), SQLITE_OK);
  ASSERT_EQ(::sqlite3_exec(handle, "PRAGMA user_version = 1000", nullptr, nullptr, nullptr), SQLITE_OK);
  ::sqlite3_close(handle);
  const auto opened = open_sqlite_store(directory);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, base::ErrorCode::unsupported);
  EXPECT_THAT(opened.error().message, HasSubstr("version 1000"));
  EXPECT_FALSE(opened.error().hint.empty());
}

TEST_F(SchemaTest, ListsAndLookupsUseTheirIndexes) {
  Database database = open();
  ASSERT_TRUE(migrate(database, schema_migrations()));
  const auto plan = [&](const std::string& sql) {
    auto statement = database.prepare_once("EXPLAIN QUERY PLAN " + sql);
    std::string text;
    while (statement->step().value()) {
      text += statement->text(3) + "\n";
    }
    return text;
  };
  EXPECT_THAT(plan("SELECT * FROM runs WHERE tenant = ?1 AND (created_ms, number) < (?2, ?3) "
                   "ORDER BY created_ms DESC, number DESC"),
              HasSubstr("runs_by_tenant"));
  const std::string all = plan("SELECT * FROM runs WHERE 1 ORDER BY created_ms DESC, number DESC");
  EXPECT_THAT(all, HasSubstr("runs_by_time"));
  EXPECT_THAT(all, testing::Not(HasSubstr("TEMP B-TREE")));
  EXPECT_THAT(plan("SELECT run_id FROM runs WHERE cacheable = 1 AND tenant = ?1 AND cache_key = ?2 AND "
                   "finished_ms >= ?3 ORDER BY finished_ms DESC"),
              HasSubstr("runs_cacheable"));
  EXPECT_THAT(plan("SELECT 1 FROM run_contents WHERE content_id = ?1"), HasSubstr("run_contents_by_content"));
}

}  // namespace
}  // namespace glovebox::records

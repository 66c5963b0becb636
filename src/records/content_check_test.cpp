#include <fcntl.h>
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>

#include "records/content_codec.h"
#include "records/contents.h"
#include "records/test_support.h"

namespace glovebox::records {
namespace {

using What = AuditProblem::What;

constexpr std::size_t kFileBytes = 3 * kMaxContentInDatabase;

// One run whose program is kept in the database, and whose artifact is a file.
class ContentCheckTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    RunEnd end = make_end("run_1");
    end.result.artifacts.push_back(make_artifact("plot.png", noise(kFileBytes)));
    put(make_start("run_1", noise(1000, 7)), end);
    put("run_2");
    expect_sound();
  }

  void change(const std::string& sql) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(::sqlite3_open((directory() + "/glovebox.db").c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(::sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    ::sqlite3_close(handle);
  }
  [[nodiscard]] std::string file() const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory() + "/contents")) {
      if (entry.is_regular_file()) {
        return entry.path();
      }
    }
    return "";
  }
  AuditReport verify(ReadContents contents = ReadContents::yes) { return store_->verify_audit({}, contents).value(); }
  void expect(What what, const std::string& named) {
    const AuditReport report = verify();
    ASSERT_TRUE(report.problem);
    EXPECT_EQ(to_string(report.problem->what), to_string(what)) << report.problem->message;
    EXPECT_EQ(report.problem->seq, 1U);
    EXPECT_THAT(report.problem->message, testing::HasSubstr(named));
    EXPECT_THAT(report.problem->message, testing::HasSubstr("run_1"));
    EXPECT_EQ(report.contents_damaged, 1U);
    EXPECT_FALSE(verify(ReadContents::no).problem);
  }
};

TEST_F(ContentCheckTest, CountsWhatItReads) {
  EXPECT_EQ(verify().contents_read, 2U);
  EXPECT_EQ(verify(ReadContents::no).contents_unread, 2U);
  EXPECT_EQ(verify(ReadContents::no).contents_read, 0U);
}

TEST_F(ContentCheckTest, AChangedFileIsFound) {
  std::fstream(file(), std::ios::in | std::ios::out).seekp(kFileBytes / 2).write("changed", 7);
  expect(What::content_damaged, "artifact plot.png");
}

TEST_F(ContentCheckTest, ACutFileIsFound) {
  std::filesystem::resize_file(file(), kFileBytes / 2);
  expect(What::content_damaged, "artifact plot.png");
}

TEST_F(ContentCheckTest, MoreBehindTheFileIsFound) {
  std::ofstream(file(), std::ios::app) << compress("more");
  expect(What::content_damaged, "artifact plot.png");
}

TEST_F(ContentCheckTest, AnotherFileInItsPlaceIsFound) {
  std::ofstream(file(), std::ios::trunc) << compress(noise(kFileBytes, 2));
  expect(What::content_damaged, "artifact plot.png");
}

TEST_F(ContentCheckTest, ADeletedFileIsFound) {
  std::filesystem::remove(file());
  expect(What::content_missing, "artifact plot.png");
}

TEST_F(ContentCheckTest, ALinkInItsPlaceIsFound) {
  const std::string path = file();
  std::filesystem::rename(path, temporary_.path() + "/moved");
  std::filesystem::create_symlink(temporary_.path() + "/moved", path);
  expect(What::content_damaged, "artifact plot.png");
}

TEST_F(ContentCheckTest, ChangedBytesInTheDatabaseAreFound) {
  change("UPDATE contents SET data = randomblob(length(data)) WHERE data IS NOT NULL");
  expect(What::content_damaged, "code");
}

TEST_F(ContentCheckTest, FarTooManyBytesInTheDatabaseAreFound) {
  change("UPDATE contents SET data = zeroblob(100000000) WHERE data IS NOT NULL");
  expect(What::content_damaged, "code");
}

TEST_F(ContentCheckTest, DeletedBytesInTheDatabaseAreFound) {
  change("UPDATE contents SET data = NULL WHERE data IS NOT NULL");
  expect(What::content_missing, "code");
}

TEST_F(ContentCheckTest, AllDamageIsNamed) {
  std::filesystem::remove(file());
  change("UPDATE contents SET data = zeroblob(length(data)) WHERE data IS NOT NULL");
  EXPECT_THAT(verify().damaged,
              testing::UnorderedElementsAre(testing::HasSubstr("plot.png"), testing::HasSubstr("code")));
}

TEST_F(ContentCheckTest, WhatWasDeletedProperlyIsNotMissing) {
  ASSERT_TRUE(*store_->remove("run_1", "root", kNow));
  const AuditReport report = verify();
  EXPECT_FALSE(report.problem);
  EXPECT_EQ(report.contents_read, 0U);
}

TEST(PlainHash, ReadsPiecesOfAnySize) {
  const std::string plain = noise(1000) + std::string(1'000'000, 'x') + noise(300'000, 3);
  const std::string stored = compress(plain);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{1000}, stored.size()}) {
    PlainHash hash(true, plain.size());
    for (std::size_t begin = 0; begin < stored.size(); begin += piece) {
      ASSERT_TRUE(hash.feed(std::string_view(stored).substr(begin, piece)));
    }
    EXPECT_EQ(hash.finish().value(), base::sha256_hex(plain));
  }
}

TEST(PlainHash, StopsAtTheSizeThatWasRecorded) {
  const std::string bomb = compress(std::string(10'000'000, 'x'));
  PlainHash hash(true, 1000);
  EXPECT_FALSE(hash.feed(bomb));
  PlainHash unfinished(true, 10'000'000);
  ASSERT_TRUE(unfinished.feed(std::string_view(bomb).substr(0, bomb.size() - 1)));
  EXPECT_FALSE(unfinished.finish());
}

}  // namespace
}  // namespace glovebox::records

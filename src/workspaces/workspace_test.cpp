#include "workspaces/workspace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.h"
#include "base/temporary_directory.h"
#include "workspaces/test_support.h"

namespace glovebox::workspaces {
namespace {

using base::ErrorCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class WorkspaceTest : public testing::Test {
 protected:
  std::unique_ptr<Workspace> workspace(const runner::WorkspaceSettings& settings = {}) {
    return std::make_unique<Workspace>(shelf_, allowance_, settings);
  }
  static ErrorCode code_of(const base::Status& status) {
    return status ? ErrorCode::internal_error : status.error().code;
  }

  base::TemporaryDirectory directory_{"workspaces"};
  std::shared_ptr<FileShelf> shelf_ = FileShelf::open(directory_.path()).value();
  std::shared_ptr<Allowance> allowance_ = std::make_shared<Allowance>(Use{1000, 10});
};

TEST_F(WorkspaceTest, HasWhatWasWritten) {
  const auto files = workspace();
  ASSERT_TRUE(files->write(path_of("b/two.txt"), "two", WriteMode::replace));
  ASSERT_TRUE(files->write(path_of("a"), "one", WriteMode::replace));
  ASSERT_TRUE(files->write(path_of("a"), " more", WriteMode::append));
  ASSERT_TRUE(files->write(path_of("c"), "new", WriteMode::append));
  EXPECT_EQ(files->list("").front(), (Entry{"a", 8, base::sha256_hex("one more")}));
  EXPECT_EQ(files->find(path_of("c")).value().bytes, 3U);
  EXPECT_THAT(names_in(*files), ElementsAre("a", "b/two.txt", "c"));
  EXPECT_EQ(files->read(path_of("a"), 4, 2).value(), "mo");
  EXPECT_EQ(files->read(path_of("z"), 0, 1).error().code, ErrorCode::not_found);
  EXPECT_EQ(files->used(), (Use{8 + 3 + 3 + 1 + 9 + 1, 3}));
}

TEST_F(WorkspaceTest, ListsAndRemovesADirectoryAndNotWhatOnlyBeginsLikeIt) {
  const auto files = workspace();
  for (const char* path : {"a/1", "a/b/2", "a.txt", "a0", "ab/3"}) {
    ASSERT_TRUE(files->write(path_of(path), "x", WriteMode::replace));
  }
  EXPECT_THAT(names_in(*files, "a"), ElementsAre("a/1", "a/b/2"));
  EXPECT_THAT(names_in(*files, "zz"), IsEmpty());
  EXPECT_EQ(files->remove(path_of("a")).value(), 2U);
  EXPECT_EQ(files->remove(path_of("a.txt")).value(), 1U);
  EXPECT_THAT(names_in(*files), ElementsAre("a0", "ab/3"));
  EXPECT_EQ(files->remove(path_of("a")).error().code, ErrorCode::not_found);
  EXPECT_EQ(files_below(directory_.path()), 2U);
}

TEST_F(WorkspaceTest, NoPathIsAFileAndADirectory) {
  const auto files = workspace();
  ASSERT_TRUE(files->write(path_of("a/b"), "x", WriteMode::replace));
  EXPECT_EQ(code_of(files->write(path_of("a"), "y", WriteMode::replace)), ErrorCode::invalid_request);
  EXPECT_EQ(code_of(files->write(path_of("a/b/c"), "y", WriteMode::replace)), ErrorCode::invalid_request);
  EXPECT_THAT(names_in(*files), ElementsAre("a/b"));
}

TEST_F(WorkspaceTest, RefusesWhatPassesItsBoundsAndLeavesNothingOnDisk) {
  runner::WorkspaceSettings settings;
  settings.bytes = 10;
  settings.files = 2;
  const auto files = workspace(settings);
  EXPECT_EQ(code_of(files->write(path_of("a"), "0123456789", WriteMode::replace)), ErrorCode::input_too_large);
  ASSERT_TRUE(files->write(path_of("a"), "012345678", WriteMode::replace)) << "the name counts";
  EXPECT_EQ(code_of(files->write(path_of("a"), "9", WriteMode::append)), ErrorCode::input_too_large);
  ASSERT_TRUE(files->write(path_of("a"), "0", WriteMode::replace)) << "what goes makes room";
  ASSERT_TRUE(files->write(path_of("b"), "0", WriteMode::replace));
  EXPECT_EQ(code_of(files->write(path_of("c"), "", WriteMode::replace)), ErrorCode::input_too_large);
  EXPECT_EQ(files_below(directory_.path()), 2U);
}

TEST_F(WorkspaceTest, AllOfATenantShareOneAllowance) {
  const auto one = workspace();
  auto two = workspace();
  ASSERT_TRUE(one->write(path_of("a"), std::string(599, 'x'), WriteMode::replace));
  ASSERT_TRUE(two->write(path_of("b"), std::string(398, 'x'), WriteMode::replace));
  EXPECT_EQ(code_of(one->write(path_of("c"), "1", WriteMode::replace)), ErrorCode::quota_exceeded);
  EXPECT_EQ(allowance_->used(), (Use{999, 2}));
  two.reset();
  EXPECT_EQ(allowance_->used(), (Use{600, 1}));
  EXPECT_TRUE(one->write(path_of("c"), "1", WriteMode::replace));
  for (int index = 0; index < 8; ++index) {
    EXPECT_TRUE(one->write(path_of("n" + std::to_string(index)), "", WriteMode::replace));
  }
  EXPECT_THAT(one->write(path_of("n8"), "", WriteMode::replace).error().message, HasSubstr("10 files"));
  EXPECT_EQ(files_below(directory_.path()), 10U);
}

TEST_F(WorkspaceTest, TakesNothingMoreAfterItsEnd) {
  const auto files = workspace();
  ASSERT_TRUE(files->write(path_of("a"), "1", WriteMode::replace));
  files->end();
  EXPECT_EQ(code_of(files->write(path_of("a"), "2", WriteMode::replace)), ErrorCode::not_found);
  EXPECT_EQ(files->remove(path_of("a")).error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace glovebox::workspaces

#include "workspaces/file_shelf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/sha256.h"
#include "base/temporary_directory.h"
#include "workspaces/test_support.h"

namespace glovebox::workspaces {
namespace {

namespace fs = std::filesystem;

std::size_t live_directories(const std::string& root) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(root)) {
    count += entry.is_directory() ? 1 : 0;
  }
  return count;
}

TEST(FileShelfTest, AFileIsGoneWithItsLastOwner) {
  const base::TemporaryDirectory root("workspaces");
  const auto shelf = FileShelf::open(root.path() + "/shelf").value();
  {
    const auto file = shelf->store("0123456789").value();
    EXPECT_EQ(files_below(root.path()), 1U);
    EXPECT_EQ(file->sha256(), base::sha256_hex("0123456789"));
    EXPECT_EQ(file->read_whole().value(), "0123456789");
    EXPECT_EQ(file->read(3, 4).value(), "3456");
    EXPECT_EQ(file->read(8, 100).value(), "89");
    EXPECT_EQ(file->read(10, 1).value(), "");
    EXPECT_EQ(file->read(UINT64_MAX, UINT64_MAX).value(), "");
  }
  EXPECT_EQ(files_below(root.path()), 0U);
}

TEST(FileShelfTest, EverythingIsGoneWhenTheProcessEndsWell) {
  const base::TemporaryDirectory root("workspaces");
  {
    const auto shelf = FileShelf::open(root.path() + "/shelf").value();
    EXPECT_EQ(live_directories(root.path() + "/shelf"), 1U);
  }
  EXPECT_EQ(live_directories(root.path() + "/shelf"), 0U);
}

TEST(FileShelfTest, TheNextProcessRemovesWhatACrashLeftAndNothingThatLives) {
  const base::TemporaryDirectory root("workspaces");
  const std::string place = root.path() + "/shelf";
  const auto alive = FileShelf::open(place).value();
  const auto kept = alive->store("alive").value();
  const pid_t crashing = ::fork();
  if (crashing == 0) {
    const auto shelf = FileShelf::open(place);
    const auto file = shelf ? (*shelf)->store("secret") : base::fail(shelf.error());
    ::_exit(file ? 0 : 1);  // no destructor runs
  }
  int status = 0;
  ASSERT_EQ(::waitpid(crashing, &status, 0), crashing);
  ASSERT_EQ(status, 0);
  EXPECT_EQ(live_directories(place), 2U);
  const auto next = FileShelf::open(place).value();
  EXPECT_EQ(live_directories(place), 2U);
  EXPECT_EQ(files_below(place), 1U);
  EXPECT_EQ(kept->read_whole().value(), "alive");
}

TEST(FileShelfTest, IsPrivate) {
  const base::TemporaryDirectory root("workspaces");
  const std::string place = root.path() + "/shelf";
  ASSERT_EQ(::mkdir(place.c_str(), 0777), 0);
  ASSERT_EQ(::chmod(place.c_str(), 0777), 0);
  const auto shelf = FileShelf::open(place).value();
  const auto file = shelf->store("x").value();
  struct stat status {};
  ASSERT_EQ(::stat(place.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
  for (const auto& entry : fs::recursive_directory_iterator(place)) {
    ASSERT_EQ(::stat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 077U, 0U) << entry.path();
  }
}

TEST(FileShelfTest, RefusesARootThatIsALinkOrSomebodyElses) {
  const base::TemporaryDirectory root("workspaces");
  fs::create_directory(root.path() + "/elsewhere");
  fs::create_directory_symlink(root.path() + "/elsewhere", root.path() + "/link");
  EXPECT_FALSE(FileShelf::open(root.path() + "/link"));
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can give a directory away";
  }
  ASSERT_EQ(::chown((root.path() + "/elsewhere").c_str(), 12345, 12345), 0);
  EXPECT_THAT(FileShelf::open(root.path() + "/elsewhere").error().message, testing::HasSubstr("somebody else"));
}

}  // namespace
}  // namespace glovebox::workspaces

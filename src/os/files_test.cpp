#include "os/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/temporary_directory.h"

namespace glovebox::os {
namespace {

class FilesTest : public testing::Test {
 protected:
  std::string make(const std::string& name, const std::string& bytes) {
    std::ofstream(directory_ + "/" + name) << bytes;
    return directory_ + "/" + name;
  }
  static mode_t mode_of(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 07777U;
  }

  base::TemporaryDirectory temporary_{"files"};
  const std::string directory_ = temporary_.path();
};

TEST_F(FilesTest, ReadsAFileWholeOrNotAtAll) {
  const std::string path = make("ten", "0123456789");
  EXPECT_EQ(read_file(path, 10).value(), "0123456789");
  const auto refused = read_file(path, 9);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::ErrorCode::input_too_large);
}

TEST_F(FilesTest, ReadsMoreThanOneBufferful) {
  const std::string bytes(100'000, 'x');
  EXPECT_EQ(read_file(make("large", bytes)).value(), bytes);
  EXPECT_EQ(read_file(make("empty", "")).value(), "");
}

TEST_F(FilesTest, SaysWhichFileIsMissing) {
  const auto missing = read_file(directory_ + "/nowhere");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().sys_errno, ENOENT);
  EXPECT_NE(missing.error().message.find("nowhere"), std::string::npos);
}

TEST_F(FilesTest, WritesEverythingEvenWhenThePipeIsSmall) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const std::string bytes(300'000, 'y');  // several times a pipe's size
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::close(ends[0]);
    ::_exit(write_all(ends[1], bytes) ? 0 : 1);
  }
  ::close(ends[1]);
  EXPECT_EQ(read_all(ends[0], bytes.size()).value(), bytes);
  ::close(ends[0]);
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(FilesTest, ReportsAWriteThatFails) {
  const base::Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  const auto written = write_all(full.get(), "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().sys_errno, ENOSPC);
}

TEST_F(FilesTest, WritingAnInterfaceFileCreatesNothingAndCutsNothing) {
  EXPECT_FALSE(write_file_at(AT_FDCWD, (directory_ + "/absent").c_str(), "1"));
  EXPECT_FALSE(path_exists(directory_ + "/absent"));
  const std::string path = make("present", "abcdef");
  ASSERT_TRUE(write_file_at(AT_FDCWD, path.c_str(), "12"));
  EXPECT_EQ(read_file(path).value(), "12cdef");
}

TEST_F(FilesTest, ReplacesAFileAndLeavesNothingElseBehind) {
  const std::string path = make("cache", "old and longer");
  ASSERT_TRUE(replace_file(path, "new"));
  EXPECT_EQ(read_file(path).value(), "new");
  EXPECT_EQ(mode_of(path), 0600U);
  const std::filesystem::directory_iterator entries(directory_);
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST_F(FilesTest, AFailedReplacementLeavesTheOldFileAndNoTemporaryOne) {
  std::filesystem::create_directory(directory_ + "/taken");
  ASSERT_FALSE(replace_file(directory_ + "/taken", "bytes"));
  EXPECT_TRUE(std::filesystem::is_directory(directory_ + "/taken"));
  const std::filesystem::directory_iterator entries(directory_);
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST_F(FilesTest, MakesMissingDirectoriesForTheOwnerOnly) {
  const std::string path = directory_ + "/a/b/c";
  ASSERT_TRUE(make_directories(path));
  EXPECT_EQ(mode_of(path), 0700U);
  EXPECT_EQ(mode_of(directory_ + "/a"), 0700U);
  EXPECT_TRUE(make_directories(path)) << "a second time is no error";
}

TEST_F(FilesTest, DoesNotMakeDirectoriesBelowAFile) {
  const std::string file = make("file", "");
  const auto refused = make_directories(file + "/below");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().sys_errno, ENOTDIR);
}

TEST(NumberAfter, FindsTheNumberBehindAKeyAtTheStartOfALine) {
  const char* events = "low 1\noom 2\noom_kill 3\noom_group_kill 4\n";
  EXPECT_EQ(number_after(events, "oom_kill "), 3U);
  EXPECT_EQ(number_after(events, "oom "), 2U);
  EXPECT_EQ(number_after(events, "kill "), std::nullopt) << "not in the middle of a line";
  EXPECT_EQ(number_after("Pss:\t     512 kB\n", "Pss:"), 512U);
}

TEST(NumberAfter, WithoutAKeyTakesTheFirstLineThatIsANumber) {
  EXPECT_EQ(number_after("42\n", ""), 42U);
  EXPECT_EQ(number_after("18446744073709551615", ""), UINT64_MAX);
}

TEST(NumberAfter, GivesNothingForWhatIsNoNumber) {
  EXPECT_EQ(number_after("max\n", ""), std::nullopt);
  EXPECT_EQ(number_after("", ""), std::nullopt);
  EXPECT_EQ(number_after("usage -5", "usage"), std::nullopt);
  EXPECT_EQ(number_after("usage 99999999999999999999", "usage"), std::nullopt) << "does not fit";
}

}  // namespace
}  // namespace glovebox::os

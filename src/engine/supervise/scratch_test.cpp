#include "engine/supervise/scratch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/temporary_directory.h"
#include "os/files.h"

namespace glovebox::engine {
namespace {

namespace fs = std::filesystem;
using base::RelPath;

// A directory laid out like the scratch tmpfs of a cell.
class ScratchTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* part : {kWorkPart, kTmpPart, kCodePart}) {
      fs::create_directory(directory_ / part);
    }
  }

  [[nodiscard]] Scratch scratch(std::uint32_t uid = ::geteuid(), std::uint32_t gid = ::getegid()) const {
    return {base::Fd(::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), uid, gid};
  }
  [[nodiscard]] std::string content(const std::string& path) const {
    return os::read_file((directory_ / path).string()).value_or("(missing)");
  }
  static PlacedFile file(const char* part, const char* path, std::string_view bytes) {
    return {part, RelPath::parse(path).value(), bytes};
  }

  base::TemporaryDirectory temporary_{"scratch"};
  const fs::path directory_ = temporary_.path();
};

TEST_F(ScratchTest, PlacesFilesWithTheirDirectories) {
  const std::string binary("\0\xff\n", 3);
  ASSERT_TRUE(scratch().place({file(kCodePart, "main.py", "print(1)"), file(kWorkPart, "a/b/data.bin", binary),
                               file(kWorkPart, "a/empty", "")}));
  EXPECT_EQ(content("code/main.py"), "print(1)");
  EXPECT_EQ(content("work/a/b/data.bin"), binary);
  EXPECT_EQ(content("work/a/empty"), "");
}

TEST_F(ScratchTest, PlacesNothingThroughALink) {
  const fs::path outside = directory_ / "outside";
  fs::create_directory(outside);
  fs::create_directory_symlink(outside, directory_ / "work/link");
  fs::create_symlink(outside / "target", directory_ / "work/file");
  const auto below_link = scratch().place({file(kWorkPart, "link/data.csv", "x")});
  ASSERT_FALSE(below_link);
  EXPECT_EQ(below_link.error().stage, "inputs");
  EXPECT_NE(below_link.error().message.find("link/data.csv"), std::string::npos);
  EXPECT_FALSE(scratch().place({file(kWorkPart, "file", "x")}));
  EXPECT_TRUE(fs::is_empty(outside));
}

TEST_F(ScratchTest, OverwritesNothing) {
  ASSERT_TRUE(scratch().place({file(kWorkPart, "data", "first")}));
  EXPECT_FALSE(scratch().place({file(kWorkPart, "data", "second")}));
  EXPECT_EQ(content("work/data"), "first");
}

TEST_F(ScratchTest, ReadsARegularFileUpToItsBound) {
  std::ofstream(directory_ / "tmp/value.json") << "[1,2]";
  EXPECT_EQ(scratch().read_file("tmp/value.json", 5).value(), "[1,2]");
  EXPECT_FALSE(scratch().read_file("tmp/value.json", 4));
  EXPECT_FALSE(scratch().read_file("tmp/none.json", 4));
}

TEST_F(ScratchTest, ReadsNothingButRegularFilesOfItsOwn) {
  std::ofstream(directory_ / "tmp/real") << "secret";
  fs::create_symlink("real", directory_ / "tmp/link");
  fs::create_symlink("/etc/passwd", directory_ / "tmp/passwd");
  ASSERT_EQ(::mkfifo((directory_ / "tmp/fifo").c_str(), 0600), 0);
  for (const char* path : {"tmp/link", "tmp/passwd", "tmp/fifo", "tmp", "../" /* above */, "/etc/passwd"}) {
    EXPECT_FALSE(scratch().read_file(path, 1000)) << path;
  }
}

TEST_F(ScratchTest, TellsHowMuchIsLeft) {
  const ScratchUsage usage = scratch().usage();
  EXPECT_GT(usage.free_bytes, 0U);
  EXPECT_EQ(Scratch().usage().free_bytes, 0U) << "without a directory there is nothing";
}

TEST_F(ScratchTest, WhatRootPlacesBelongsToTheProgram) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  constexpr std::uint32_t kProgram = 0x70000123;
  ASSERT_EQ(::chown((directory_ / "work").c_str(), kProgram, kProgram), 0);
  ASSERT_EQ(::chmod(directory_.c_str(), 0755), 0);
  ASSERT_TRUE(scratch(kProgram, kProgram).place({file(kWorkPart, "a/data", "x")}));
  struct stat status {};
  ASSERT_EQ(::stat((directory_ / "work/a/data").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, kProgram);
  EXPECT_EQ(status.st_gid, kProgram);
}

TEST_F(ScratchTest, WhatTheProgramCouldNotOpenRootDoesNotReadForIt) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  std::ofstream(directory_ / "tmp/of_root") << "secret";
  ASSERT_EQ(::chmod((directory_ / "tmp/of_root").c_str(), 0600), 0);
  ASSERT_EQ(::chmod(directory_.c_str(), 0755), 0);
  EXPECT_FALSE(scratch(0x70000123, 0x70000123).read_file("tmp/of_root", 100));
  EXPECT_EQ(content("tmp/of_root"), "secret") << "and afterwards we are root again";
}

}  // namespace
}  // namespace glovebox::engine

#include "engine/image/tree_digest.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <time.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "base/temporary_directory.h"

namespace glovebox::engine {
namespace {

namespace fs = std::filesystem;

class TreeDigestTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(tree_ / "lib/deep");
    write("lib/one", "1");
    write("lib/deep/two", "22");
    fs::create_symlink("one", tree_ / "lib/link");
  }

  // With one fixed time, so that only the tested change differs.
  void write(const std::string& path, std::string_view bytes, time_t seconds = 1'700'000'000) {
    std::ofstream(tree_ / path) << bytes;
    const timespec times[2] = {{seconds, 0}, {seconds, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, (tree_ / path).c_str(), times, 0), 0);
  }
  [[nodiscard]] std::string digest() const {
    return compute_tree_digest((directory_ / "packages").string(), tree_.string()).value();
  }

  base::TemporaryDirectory temporary_{"tree"};
  const fs::path directory_ = temporary_.path();
  const fs::path tree_ = directory_ / "usr";
};

TEST_F(TreeDigestTest, IsTheSameForTheSameTree) {
  EXPECT_EQ(digest(), digest());
  EXPECT_EQ(digest().size(), 64U);
}

TEST_F(TreeDigestTest, DoesNotDependOnTheOrderOfCreation) {
  write("a", "x");
  write("b", "x");
  const std::string before = digest();
  fs::remove(tree_ / "a");
  fs::remove(tree_ / "b");
  write("b", "x");
  write("a", "x");
  EXPECT_EQ(digest(), before);
}

TEST_F(TreeDigestTest, EveryKindOfChangeShows) {
  std::set<std::string> seen = {digest()};
  const auto expect_new = [&](const char* change) { EXPECT_TRUE(seen.insert(digest()).second) << change; };
  write("lib/one", "longer");
  expect_new("size");
  write("lib/one", "longer", 1'700'000'001);
  expect_new("modification time");
  fs::permissions(tree_ / "lib/one", fs::perms::owner_all);
  expect_new("mode");
  write("lib/new", "");
  expect_new("new file");
  fs::rename(tree_ / "lib/new", tree_ / "lib/renamed");
  expect_new("name");
  fs::remove(tree_ / "lib/link");
  fs::create_symlink("deep/two", tree_ / "lib/link");
  expect_new("link target");
  fs::create_directory(tree_ / "empty");
  expect_new("empty directory");
  write("lib/deep/two", "222");
  expect_new("deep below");
  std::ofstream(directory_ / "packages") << "Package: bash\n";
  expect_new("package list");
}

// Root and everybody else come to the same digest, though root could read more.
TEST_F(TreeDigestTest, WhatCellsCannotReadIsNotLookedInto) {
  const std::string open = digest();
  fs::permissions(tree_ / "lib/deep", fs::perms::owner_all);
  const std::string closed = digest();
  EXPECT_NE(closed, open);
  write("lib/deep/two", "another");
  EXPECT_EQ(digest(), closed);
}

TEST_F(TreeDigestTest, DoesNotFollowLinks) {
  fs::create_directory(directory_ / "outside");
  fs::create_directory_symlink(directory_ / "outside", tree_ / "out");
  const std::string before = digest();
  std::ofstream(directory_ / "outside/file") << "x";
  EXPECT_EQ(digest(), before);
}

TEST_F(TreeDigestTest, ATreeThatCannotBeReadIsAnError) {
  const auto missing = compute_tree_digest("", (directory_ / "nowhere").string());
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, base::ErrorCode::image_unavailable);
}

}  // namespace
}  // namespace glovebox::engine

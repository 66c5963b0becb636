#include "base/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace glovebox::base {
namespace {

TEST(Glob, StarStaysWithinOnePart) {
  EXPECT_TRUE(glob_match("*.png", "a.png"));
  EXPECT_FALSE(glob_match("*.png", "dir/a.png"));
  EXPECT_TRUE(glob_match("dir/*", "dir/a.png"));
  EXPECT_FALSE(glob_match("dir/*", "dir/sub/a.png"));
}

TEST(Glob, TwoStarsCrossParts) {
  EXPECT_TRUE(glob_match("out/**", "out/a"));
  EXPECT_TRUE(glob_match("out/**", "out/a/b/c"));
  EXPECT_TRUE(glob_match("**/*.csv", "x.csv"));
  EXPECT_TRUE(glob_match("**/*.csv", "a/b/x.csv"));
  EXPECT_TRUE(glob_match("**", "anything/at/all"));
  EXPECT_FALSE(glob_match("out/**", "other/a"));
}

TEST(Glob, QuestionMarkAndClassesMatchOneCharacter) {
  EXPECT_TRUE(glob_match("f?.txt", "f1.txt"));
  EXPECT_TRUE(glob_match("f[0-9].txt", "f7.txt"));
  EXPECT_FALSE(glob_match("f[!0-9].txt", "f7.txt"));
  EXPECT_TRUE(glob_match("[]]", "]"));
  EXPECT_TRUE(glob_match("a[", "a["));
}

TEST(Glob, HostilePatternsEndQuickly) {
  const std::string text(200, 'a');
  std::string pattern;
  for (int round = 0; round < 60; ++round) {
    pattern += "*a";
  }
  EXPECT_FALSE(glob_match(pattern + "b", text));
  std::string deep = "**";
  for (int round = 0; round < 60; ++round) {
    deep += "/**/a";
  }
  EXPECT_FALSE(glob_match(deep, "a/b/a/b/a/b/a/b/a/b"));
}

}  // namespace
}  // namespace glovebox::base

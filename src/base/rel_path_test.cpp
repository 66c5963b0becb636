#include "base/rel_path.h"

#include <gtest/gtest.h>

namespace glovebox::base {
namespace {

TEST(RelPath, TakesOrdinaryRelativePaths) {
  for (const char* text : {"a", "data.csv", "out/plots/a b.png", "ünïcode/ß.txt", "...", ".hidden", "a..b"}) {
    const auto path = RelPath::parse(text);
    ASSERT_TRUE(path) << text;
    EXPECT_EQ(path->str(), text);
  }
}

TEST(RelPath, RefusesEveryWayOut) {
  for (const char* text : {"", "/", "/etc/passwd", "..", "../x", "a/../b", "a/..", ".", "a/./b", "a//b", "a/"}) {
    EXPECT_FALSE(RelPath::parse(text)) << text;
  }
}

TEST(RelPath, RefusesControlCharactersAndBytesThatAreNotUtf8) {
  for (const std::string& text : {std::string("a\nb"), std::string("a\0b", 3), std::string("\x1b[2J"),
                                  std::string("\x7f"), std::string("\xff\xfe"), std::string("a\x80"),
                                  std::string("a\u009b"
                                              "b"),
                                  std::string("a\u202e"
                                              "b")}) {
    EXPECT_FALSE(RelPath::parse(text));
  }
}

TEST(RelPath, RefusesWhatNoFileSystemTakes) {
  EXPECT_FALSE(RelPath::parse(std::string(256, 'a')));
  EXPECT_TRUE(RelPath::parse(std::string(255, 'a')));
  std::string deep = "a";
  for (int level = 0; level < 64; ++level) {
    deep += "/a";
  }
  EXPECT_FALSE(RelPath::parse(deep));
  EXPECT_TRUE(RelPath::parse(deep.substr(2)));
}

TEST(RelPath, KnowsItsPartsNameAndParent) {
  const auto path = RelPath::parse("a/b/c.txt");
  ASSERT_TRUE(path);
  EXPECT_EQ(path->parts().size(), 3U);
  EXPECT_EQ(path->file_name(), "c.txt");
  EXPECT_EQ(path->parent(), "a/b");
  EXPECT_EQ(RelPath::parse("c.txt")->parent(), "");
}

TEST(RelPath, ErrorsShowHostileNamesHarmlessly) {
  const auto path = RelPath::parse("\x1b]52;c;AAAA\a");
  ASSERT_FALSE(path);
  EXPECT_EQ(path.error().message.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace glovebox::base

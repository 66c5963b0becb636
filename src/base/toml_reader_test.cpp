#include "base/toml_reader.h"

#include <gtest/gtest.h>

namespace glovebox::base {
namespace {

constexpr TomlKind kKind = {"a test's file", 40, "only ASCII here"};

std::string complaint_about(std::string_view text) {
  TomlReader reader("x.toml");
  const auto root = reader.open(text, kKind);
  return root ? "none" : root.error().message;
}

TEST(TomlReader, OpensAndTellsWhereSomethingIsWrong) {
  EXPECT_EQ(complaint_about("a = 1\n"), "none");
  EXPECT_TRUE(complaint_about("a = 1\nb = = 2\n").starts_with("x.toml:2:")) << complaint_about("a = 1\nb = = 2\n");
  EXPECT_TRUE(complaint_about("[=").starts_with("x.toml:")) << "an assertion of the library is a complaint as well";
}

TEST(TomlReader, OpensNothingThatIsTooLargeOrNotAscii) {
  EXPECT_EQ(complaint_about(std::string(40, '\n')), "none");
  EXPECT_EQ(complaint_about(std::string(41, '\n')), "x.toml:0:0: a test's file has at most 40 bytes");
  EXPECT_EQ(complaint_about("\xc3\xa9 = 1"), "x.toml:1:1: only ASCII here");
  EXPECT_EQ(complaint_about("a = 1\n# \xc3\xa9"), "x.toml:2:3: only ASCII here");
}

TEST(TomlReader, KeepsTheFirstComplaint) {
  TomlReader reader("x.toml", 20);
  const auto root = reader.open("yes = true\nno = 1\n[more]\n", kKind);
  ASSERT_TRUE(root);
  reader.only(*root, {"yes", "no", "more"});
  EXPECT_TRUE(reader.flag(*root, "yes"));
  EXPECT_FALSE(reader.flag(*root, "absent"));
  EXPECT_NE(reader.table(*root, "more"), nullptr);
  EXPECT_EQ(reader.table(*root, "absent"), nullptr);
  EXPECT_FALSE(reader.complaint());
  EXPECT_FALSE(reader.flag(*root, "no"));
  EXPECT_EQ(reader.table(*root, "yes"), nullptr);
  ASSERT_TRUE(reader.complaint());
  EXPECT_EQ(reader.complaint()->code, ErrorCode::invalid_request);
  EXPECT_TRUE(reader.complaint()->message.starts_with("x.toml:2:6: 'no' must"));
  EXPECT_LT(reader.complaint()->message.size(), 40U) << "and it is cut";
}

}  // namespace
}  // namespace glovebox::base

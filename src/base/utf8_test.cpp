#include "base/utf8.h"

#include <gtest/gtest.h>

#include <random>

namespace glovebox::base {
namespace {

TEST(Utf8, KnowsWellFormedText) {
  EXPECT_TRUE(is_valid_utf8("plain, ünïcode, 漢字, 🙂"));
  for (const char* bytes : {"\x80", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\xff"}) {
    EXPECT_FALSE(is_valid_utf8(bytes));
  }
}

TEST(Utf8, ReplacesEachMalformedPartOnce) {
  EXPECT_EQ(to_valid_utf8("a\xff"
                          "b"),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(to_valid_utf8("\xe2\x82x"), "\xef\xbf\xbdx");
}

TEST(Utf8, RandomBytesAlwaysBecomeValidText) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random() % 64, '\0');
    for (char& byte : bytes) {
      byte = static_cast<char>(random());
    }
    EXPECT_TRUE(is_valid_utf8(to_valid_utf8(bytes)));
    const std::string clean = sanitize_output(bytes);
    EXPECT_TRUE(is_valid_utf8(clean));
    EXPECT_EQ(clean.find('\x1b'), std::string::npos);
    EXPECT_TRUE(is_valid_utf8(printable(bytes, 20)));
  }
}

TEST(Sanitizer, RemovesTerminalControlWhole) {
  EXPECT_EQ(sanitize_output("\x1b[31mred\x1b[0m"), "red");
  EXPECT_EQ(sanitize_output("a\x1b]52;c;c2VjcmV0\ab"), "ab");
  EXPECT_EQ(sanitize_output("a\x1b]0;title\x1b\\b"), "ab");
  EXPECT_EQ(sanitize_output("a\x1bPq...\x1b\\b"), "ab");
  EXPECT_EQ(sanitize_output("a\x1b(Bb"), "ab");
  EXPECT_EQ(sanitize_output("a\x1b"), "a");
  EXPECT_EQ(sanitize_output("bell\a back\b"), "bell back");
}

TEST(Sanitizer, KeepsOrdinaryText) {
  EXPECT_EQ(sanitize_output("tab\tline\nwindows\r\n"), "tab\tline\nwindows\r\n");
  EXPECT_EQ(sanitize_output("naïve 漢字 🙂"), "naïve 漢字 🙂");
}

TEST(Sanitizer, DropsTextThatDisguisesItself) {
  EXPECT_EQ(sanitize_output("a\u202e"
                            "b"),
            "ab");
  EXPECT_EQ(sanitize_output("a\u009b"
                            "31m"),
            "a31m");
  EXPECT_EQ(sanitize_output("50%\rdone"), "50%done");
}

TEST(Sanitizer, AStreamWaitsForTheRestOfACharacterOrSequence) {
  EXPECT_EQ(complete_prefix("plain"), 5U);
  EXPECT_EQ(complete_prefix("a\xe6\xbc"), 1U);
  EXPECT_EQ(complete_prefix("a\xe6\xbc\xa2"), 4U);
  EXPECT_EQ(complete_prefix("a\x1b[3"), 1U);
  EXPECT_EQ(complete_prefix("a\x1b[31m"), 6U);
  EXPECT_EQ(complete_prefix("a\x1b]0;tit"), 1U);
  EXPECT_EQ(complete_prefix("a\x1b]0;title\a"), 11U);
  EXPECT_EQ(complete_prefix("a\x1b]" + std::string(5000, 'x')), 5003U) << "no sequence is that long";
}

TEST(Printable, ShowsControlAsNumbersAndCuts) {
  EXPECT_EQ(printable("a\nb", 80), "a\\x0ab");
  EXPECT_EQ(printable("abcdef", 3), "abc…");
  EXPECT_EQ(printable("// harmless \u2028evil()", 80), "// harmless \\xe2\\x80\\xa8evil()");
  EXPECT_EQ(printable("const \u3164 = 1", 80), "const \\xe3\\x85\\xa4 = 1");
  EXPECT_EQ(printable("naïve Straße 日本語 👩‍🔬", 80), "naïve Straße 日本語 👩‍🔬");
}

}  // namespace
}  // namespace glovebox::base

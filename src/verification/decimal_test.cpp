#include "verification/decimal.h"

#include <gtest/gtest.h>

namespace glovebox::verification {
namespace {

Decimal number(std::string_view text) {
  const auto parsed = Decimal::parse(text);
  EXPECT_TRUE(parsed) << text;
  return parsed.value_or(Decimal());
}

TEST(Decimal, ReadsExactlyTheNumbersOfJson) {
  for (const char* text :
       {"0", "-0", "1", "-12", "0.5", "1.50", "1e5", "1E+5", "1e-5", "12.25e2", "123456789012345678901234567890"}) {
    EXPECT_TRUE(Decimal::parse(text)) << text;
  }
  for (const char* text :
       {"", "-", "+1", "01", ".5", "1.", "1e", "1e+", "0x1", "1 ", " 1", "NaN", "1.5.2", "1e99999999999999999999"}) {
    EXPECT_FALSE(Decimal::parse(text)) << text;
  }
}

TEST(Decimal, EqualNumbersAreEqualHoweverTheyAreWritten) {
  EXPECT_EQ(number("1.50"), number("15e-1"));
  EXPECT_EQ(number("-0"), number("0.000e7"));
  EXPECT_EQ(number("100"), number("1e2"));
  EXPECT_EQ(number("100").canonical(), number("1.00e2").canonical());
  EXPECT_FALSE(number("9007199254740993") == number("9007199254740992"));
}

TEST(Decimal, OrdersByWorth) {
  const char* ascending[] = {"-1e300",
                             "-100.5",
                             "-100",
                             "-99",
                             "-0.1",
                             "-1e-400",
                             "0",
                             "1e-400",
                             "0.1",
                             "0.10000000000000000001",
                             "0.2",
                             "1",
                             "9.99",
                             "10",
                             "9007199254740992",
                             "9007199254740993",
                             "1e20",
                             "1e400"};
  for (std::size_t left = 0; left < std::size(ascending); ++left) {
    for (std::size_t right = 0; right < std::size(ascending); ++right) {
      EXPECT_EQ(number(ascending[left]) < number(ascending[right]), left < right)
          << ascending[left] << " " << ascending[right];
    }
  }
}

TEST(Decimal, KnowsMultiplesExactly) {
  EXPECT_TRUE(number("0.3").is_multiple_of(number("0.1")));
  EXPECT_TRUE(number("-7.5").is_multiple_of(number("2.5")));
  EXPECT_TRUE(number("0").is_multiple_of(number("7")));
  EXPECT_TRUE(number("1e1000000").is_multiple_of(number("16")));
  EXPECT_TRUE(number("999999999999999999000000000000000000").is_multiple_of(number("999999999999999999")));
  EXPECT_FALSE(number("0.35").is_multiple_of(number("0.1")));
  EXPECT_FALSE(number("1e1000000").is_multiple_of(number("7")));
  EXPECT_FALSE(number("9007199254740993").is_multiple_of(number("2")));
  EXPECT_FALSE(number("1e-9").is_multiple_of(number("1e-8")));
  EXPECT_TRUE(number("1.0").is_whole() && number("1e3").is_whole() && !number("1e-3").is_whole());
}

}  // namespace
}  // namespace glovebox::verification

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

TEST(Decimal, IsNearOrNotExactly) {
  const auto within = [](std::string_view left, std::string_view right, std::string_view tolerance) {
    return Decimal::are_within(number(left), number(right), number(tolerance));
  };
  EXPECT_TRUE(within("1.1", "1.0", "0.1"));
  EXPECT_TRUE(within("1.0", "1.1", "0.1"));
  EXPECT_FALSE(within("1.1", "1.0", "0.09999999999999999999"));
  EXPECT_TRUE(within("9007199254740993", "9007199254740992", "1"));
  EXPECT_FALSE(within("9007199254740993", "9007199254740992", "0.5"));
  EXPECT_TRUE(within("5", "5.0", "0"));
  EXPECT_FALSE(within("5", "5", "-1"));
  EXPECT_TRUE(within("-3", "3", "6"));
  EXPECT_FALSE(within("-3", "3", "5.999"));
  EXPECT_TRUE(within("1000", "999", "1"));
  EXPECT_FALSE(within("1000", "998.9", "1"));
  EXPECT_TRUE(within("0", "0.001", "0.001"));
  // Far apart, whatever the exponents are.
  EXPECT_FALSE(within("1e999999999999", "1", "0.5"));
  EXPECT_TRUE(within("1e-999999999999", "0", "1e-9"));
  EXPECT_TRUE(within("1e999999999999", "1", "1e999999999999"));
  EXPECT_FALSE(within("1e999999999999", "-1", "1e999999999999"));
  EXPECT_FALSE(within("1e-999999999999", "1e999999999999", "1"));
  EXPECT_EQ(Decimal::from_double(0.1), number("0.1"));
  EXPECT_EQ(Decimal::from_double(-1e23), number("-1e23"));
}

TEST(Decimal, AMultipleIsFoundHoweverLongTheNumberIs) {
  const std::string sevens(1000, '7');
  EXPECT_TRUE(number(sevens).is_multiple_of(number("7")));
  EXPECT_TRUE(number(sevens + "0." + sevens).is_multiple_of(number("7e-1000")));
  EXPECT_FALSE(number(sevens + "1").is_multiple_of(number("7")));
  EXPECT_FALSE(number(sevens).is_multiple_of(number("999999999999999989")));
}

}  // namespace
}  // namespace glovebox::verification

#include "base/units.h"

#include <gtest/gtest.h>

namespace glovebox::base {
namespace {

TEST(Units, ReadsSizesAsPeopleWriteThem) {
  EXPECT_EQ(parse_size("0"), 0U);
  EXPECT_EQ(parse_size("256M"), 256U << 20U);
  EXPECT_EQ(parse_size("64KiB"), 64U << 10U);
  EXPECT_EQ(parse_size("1.5 gb"), 3ULL << 29U);
}

TEST(Units, ReadsDurationsAsPeopleWriteThem) {
  EXPECT_EQ(parse_duration_ms("5s"), 5000U);
  EXPECT_EQ(parse_duration_ms("250ms"), 250U);
  EXPECT_EQ(parse_duration_ms("2m"), 120'000U);
  EXPECT_EQ(parse_duration_ms("0.5"), 500U);
}

TEST(Units, RefusesWhatIsNoQuantity) {
  for (const char* text : {"", "x", "-1", "5 parsecs", "nan", "inf", "1e300", "5s5", "0x10"}) {
    EXPECT_FALSE(parse_size(text)) << text;
    EXPECT_FALSE(parse_duration_ms(text)) << text;
  }
  EXPECT_FALSE(parse_size("").error().hint.empty());
}

TEST(Units, WritesWhatAPersonWouldSay) {
  EXPECT_EQ(format_size(12), "12 bytes");
  EXPECT_EQ(format_size(1536), "1.5 KiB");
  EXPECT_EQ(format_size(256U << 20U), "256 MiB");
  EXPECT_EQ(format_duration_ms(250), "250 ms");
  EXPECT_EQ(format_duration_ms(5000), "5 s");
  EXPECT_EQ(format_duration_ms(1500), "1.5 s");
}

}  // namespace
}  // namespace glovebox::base

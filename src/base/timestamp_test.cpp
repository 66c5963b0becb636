#include "base/timestamp.h"

#include <gtest/gtest.h>

namespace glovebox::base {
namespace {

TEST(Timestamp, WritesMillisecondsInUtc) {
  EXPECT_EQ(format_timestamp_ms(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(format_timestamp_ms(1'763'258'584'005), "2025-11-16T02:03:04.005Z");
  EXPECT_EQ(format_timestamp_ms(-1), "1969-12-31T23:59:59.999Z");
}

TEST(Timestamp, ReadsWhatItWrites) {
  for (const std::int64_t ms : {0LL, 1LL, -1LL, 951'782'400'000LL, 1'763'258'584'005LL, 253'402'300'799'999LL}) {
    EXPECT_EQ(parse_timestamp_ms(format_timestamp_ms(ms)), ms);
  }
}

TEST(Timestamp, ReadsOffsetsAndFractions) {
  EXPECT_EQ(parse_timestamp_ms("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(parse_timestamp_ms("1970-01-01T02:00:00+02:00"), 0);
  EXPECT_EQ(parse_timestamp_ms("1969-12-31T19:30:00-04:30"), 0);
  EXPECT_EQ(parse_timestamp_ms("1970-01-01T00:00:00.5Z"), 500);
  EXPECT_EQ(parse_timestamp_ms("1970-01-01T00:00:00.123456789Z"), 123);
}

TEST(Timestamp, RefusesOtherFormsAndDatesThatDoNotExist) {
  for (const char* text :
       {"", "Z", "1970-01-01", "1970-01-01T00:00:00", "1970-01-01 00:00:00Z", "1970-01-01T00:00:00.Z",
        "1970-01-01T00:00:00.1234567890Z", "1970-01-01T00:00:00+2", "1970-01-01T00:00:00+24:00",
        "1970-01-01T00:00:00ZZ", "1970-13-01T00:00:00Z", "2025-02-29T00:00:00Z", "1970-01-00T00:00:00Z",
        "1970-01-01T24:00:00Z", "1970-01-01T00:60:00Z", "1970-01-01T00:00:61Z", "+970-01-01T00:00:00Z"}) {
    EXPECT_FALSE(parse_timestamp_ms(text)) << text;
  }
}

}  // namespace
}  // namespace glovebox::base

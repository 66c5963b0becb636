#include "cli/moments.h"

#include <gtest/gtest.h>

namespace glovebox::cli {
namespace {

constexpr std::int64_t kNowMs = 1'763'258'584'005;
constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kDayMs = 24 * kHourMs;

TEST(Moments, ReadsSpansUpToWeeks) {
  EXPECT_EQ(parse_span_ms("2h"), 2 * kHourMs);
  EXPECT_EQ(parse_span_ms("90d"), 90 * kDayMs);
  EXPECT_EQ(parse_span_ms("0.5d"), 12 * kHourMs);
  EXPECT_EQ(parse_span_ms("2w"), 14 * kDayMs);
  EXPECT_EQ(parse_span_ms("100ms"), 100);
}

TEST(Moments, RefusesWhatIsNoSpanOrBeyondAHundredYears) {
  for (const char* text : {"", "d", "w", "-1d", "1y", "36526d", "5219w", "1e300d", "9e15", "2hd", "nand"}) {
    EXPECT_FALSE(parse_span_ms(text)) << text;
  }
}

TEST(Moments, CountsBackwardsAndForwards) {
  EXPECT_EQ(parse_past_ms("1d", kNowMs), kNowMs - kDayMs);
  EXPECT_EQ(parse_future_ms("1d", kNowMs), kNowMs + kDayMs);
  EXPECT_EQ(parse_past_ms("1970-01-01T00:00:01Z", kNowMs), 1000);
  EXPECT_EQ(parse_future_ms("2025-11-16T02:03:05Z", kNowMs), 1'763'258'585'000);
  EXPECT_FALSE(parse_past_ms("yesterday", kNowMs));
}

TEST(Moments, KnowsThatTheFutureIsStillToCome) {
  EXPECT_FALSE(parse_future_ms("2025-11-16T02:03:04.005Z", kNowMs));
  EXPECT_FALSE(parse_future_ms("0s", kNowMs));
}

TEST(Moments, WritesOneNumberAndOneUnit) {
  EXPECT_EQ(format_span(-5), "0 s");
  EXPECT_EQ(format_span(59'999), "59 s");
  EXPECT_EQ(format_span(60'000), "1 min");
  EXPECT_EQ(format_span(47 * kHourMs), "47 h");
  EXPECT_EQ(format_span(48 * kHourMs), "2 d");
}

}  // namespace
}  // namespace glovebox::cli

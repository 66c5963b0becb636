#include "bench/statistics.h"

#include <gtest/gtest.h>

#include <numeric>

namespace glovebox::bench {
namespace {

std::vector<double> one_to(int last) {
  std::vector<double> samples(static_cast<std::size_t>(last));
  std::iota(samples.begin(), samples.end(), 1.0);
  return samples;
}

TEST(Statistics, PercentilesAreSamplesByNearestRank) {
  const std::vector<double> hundred = one_to(100);
  EXPECT_EQ(percentile(hundred, 0.50), 50);
  EXPECT_EQ(percentile(hundred, 0.95), 95);
  EXPECT_EQ(percentile(hundred, 0.99), 99);
  EXPECT_EQ(percentile(hundred, 1.00), 100);
  EXPECT_EQ(percentile(hundred, 0.00), 1);
}

TEST(Statistics, TheTailOfFewRunsIsTheSlowestOne) {
  EXPECT_EQ(percentile(one_to(100), 0.999), 100);
  EXPECT_EQ(percentile(one_to(999), 0.999), 999);
}

TEST(Statistics, TheRankDoesNotSlipByARoundingError) {
  EXPECT_EQ(percentile(one_to(1000), 0.999), 999);
  EXPECT_EQ(percentile(one_to(10000), 0.999), 9990);
  EXPECT_EQ(percentile(one_to(1000), 0.57), 570);
}

TEST(Statistics, OneSampleIsEveryPercentile) {
  const Summary summary = summarize({7.5});
  EXPECT_EQ(summary.runs, 1U);
  EXPECT_EQ(summary.min, 7.5);
  EXPECT_EQ(summary.p50, 7.5);
  EXPECT_EQ(summary.p999, 7.5);
  EXPECT_EQ(summary.mean, 7.5);
}

TEST(Statistics, NoSampleIsNothingAndNotACrash) {
  EXPECT_EQ(summarize({}), Summary{});
  EXPECT_EQ(median({}), 0);
}

TEST(Statistics, TheOrderOfTheSamplesDoesNotMatter) {
  EXPECT_EQ(summarize({3, 1, 2}), summarize({1, 2, 3}));
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({4, 1, 3, 2}), 2);  // a sample, not the mean of the middle two
}

}  // namespace
}  // namespace glovebox::bench

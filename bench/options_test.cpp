#include "bench/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/modes.h"

namespace glovebox::bench {
namespace {

using testing::HasSubstr;

TEST(Options, AllIsMeasuredByDefaultButNotForHours) {
  const Options options;
  EXPECT_TRUE(check_options(options));
  EXPECT_TRUE(options.wants_mode("sequential"));
  EXPECT_TRUE(options.wants_mode("memory"));
  EXPECT_FALSE(options.wants_mode("endurance"));
  EXPECT_TRUE(options.wants_peer("pyodide"));
}

TEST(Options, OnlyWhatWasNamedIsMeasured) {
  Options options;
  options.modes = {"endurance"};
  options.peers = {"bare", "warm"};
  EXPECT_TRUE(options.wants_mode("endurance"));
  EXPECT_FALSE(options.wants_mode("sequential"));
  EXPECT_FALSE(options.wants_peer("runc"));
}

TEST(Options, AnUnknownNameIsRefusedWithTheKnownOnes) {
  Options options;
  options.peers = {"docker"};
  const auto refused = check_options(options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "there is no peer \"docker\"");
  EXPECT_THAT(refused.error().hint, HasSubstr("bubblewrap"));
}

TEST(Options, NumbersWithoutSenseAreRefused) {
  Options options;
  options.burst = 100'000;
  EXPECT_FALSE(check_options(options));
  options.burst = 100;
  options.endurance_runs = 3;
  EXPECT_FALSE(check_options(options));
}

TEST(Options, RoundsAreTheCallersOrTheWorkloads) {
  Options options;
  const Workload& print = *find_workload("print");
  EXPECT_EQ(options.rounds_of(print), print.rounds);
  options.effort = Effort::quick;
  EXPECT_EQ(options.rounds_of(print), print.quick_rounds);
  options.rounds = 7;
  EXPECT_EQ(options.rounds_of(print), 7);
}

std::vector<std::string> grown(const std::vector<ResourceSample>& samples) {
  std::vector<std::string> names;
  for (const FlatFigure& figure : flat_figures(samples)) {
    if (!figure.flat()) {
      names.push_back(figure.name);
    }
  }
  return names;
}

std::vector<ResourceSample> ten_samples() {
  ResourceSample sample;
  sample.own_bytes = 20 << 20;
  sample.own_descriptors = 40;
  sample.groups = 12;
  return std::vector<ResourceSample>(10, sample);
}

TEST(Endurance, NothingThatStaysIsGrowth) { EXPECT_THAT(grown(ten_samples()), testing::IsEmpty()); }

TEST(Endurance, ALeakIsGrowth) {
  auto samples = ten_samples();
  for (std::size_t index = 0; index < samples.size(); ++index) {
    samples[index].own_bytes += index << 20U;
    samples[index].own_descriptors += index;
    samples[index].groups += index / 4;  // two groups in all: within the tolerance
  }
  EXPECT_THAT(grown(samples), testing::ElementsAre("memory of the process, bytes", "descriptors of the process"));
}

TEST(Endurance, AZygoteThatKeepsAPieceOfEveryRunIsGrowth) {
  auto samples = ten_samples();
  for (std::size_t index = 0; index < samples.size(); ++index) {
    samples[index].below_bytes = (200 + 3 * index) << 20U;
    samples[index].below_descriptors = 90 + index;
    samples[index].below_mounts = 100 + index;
  }
  EXPECT_THAT(grown(samples),
              testing::ElementsAre("memory of all below, bytes", "descriptors of all below", "mounts of all below"));
}

TEST(Endurance, AReserveThatGoesUpAndDownIsNoGrowth) {
  auto samples = ten_samples();
  samples[7].own_descriptors += 21;
  EXPECT_THAT(grown(samples), testing::IsEmpty());
}

TEST(Endurance, MoreWaitingCellsMayHoldMoreDescriptors) {
  auto samples = ten_samples();
  for (std::size_t index = 5; index < samples.size(); ++index) {
    samples[index].own_descriptors += 15;
  }
  EXPECT_THAT(grown(samples), testing::ElementsAre("descriptors of the process"));
  for (std::size_t index = 5; index < samples.size(); ++index) {
    samples[index].idle_cells = 2;
  }
  EXPECT_THAT(grown(samples), testing::IsEmpty());
}

TEST(Endurance, NoSampleIsNoVerdict) { EXPECT_THAT(flat_figures({}), testing::IsEmpty()); }

}  // namespace
}  // namespace glovebox::bench

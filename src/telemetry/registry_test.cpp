#include "telemetry/registry.h"

#include <gtest/gtest.h>

#include <thread>

#include "telemetry/exposition_parser.h"

namespace glovebox::telemetry {
namespace {

using testing::scrape;

TEST(Registry, CountsUnderEightThreadsWhileOthersLook) {
  Registry registry;
  auto& counters = registry.counters("jobs_total", "Jobs", {"kind"});
  auto& gauges = registry.gauges("level", "Level");
  auto& histograms = registry.histograms("wait_seconds", "Wait", {1, 2, 3}, {"kind"});
  constexpr int kThreads = 8;
  constexpr int kRounds = 20'000;
  std::atomic<bool> done = false;
  std::thread looker([&] {
    while (!done) {
      (void)scrape(registry);  // throws, and ends the test, if what it sees is not consistent
    }
  });
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      const std::string kind = "k" + std::to_string(thread % 4);
      for (int round = 0; round < kRounds; ++round) {
        counters.with({kind}).add();
        gauges.only().add(1);
        histograms.with({kind}).observe(round % 4);
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  done = true;
  looker.join();
  const auto seen = scrape(registry);
  EXPECT_EQ(seen.at("level").value(), kThreads * kRounds);
  for (const char* kind : {"k0", "k1", "k2", "k3"}) {
    EXPECT_EQ(seen.at("jobs_total").value({{"kind", kind}}), 2.0 * kRounds);
    EXPECT_EQ(seen.at("wait_seconds").value({{"kind", kind}}, "_count"), 2.0 * kRounds);
    EXPECT_EQ(seen.at("wait_seconds").value({{"kind", kind}}, "_sum"), 2.0 * kRounds * 1.5);
    EXPECT_EQ(seen.at("wait_seconds").value({{"kind", kind}, {"le", "1"}}), 2.0 * kRounds / 2);
  }
}

TEST(Registry, CountsSurplusSeriesAsOther) {
  Registry registry;
  auto& family = registry.counters("jobs_total", "Jobs", {"a", "b"}, 10);
  for (int index = 0; index < 1000; ++index) {
    family.with({std::to_string(index), "x"}).add();
  }
  family.with({"3", "x"}).add();
  EXPECT_EQ(family.overflows(), 990U);
  const auto seen = scrape(registry);
  EXPECT_EQ(seen.at("jobs_total").samples.size(), 11U);
  EXPECT_EQ(seen.at("jobs_total").value({{"a", "other"}, {"b", "other"}}), 990);
  EXPECT_EQ(seen.at("jobs_total").value({{"a", "3"}, {"b", "x"}}), 2);
}

TEST(Registry, JoinsTheSurplusWithSomebodysOwnOther) {
  Registry registry;
  auto& counters = registry.counters("jobs_total", "Jobs", {"a"}, 1);
  auto& histograms = registry.histograms("wait", "Wait", {1}, {"a"}, 1);
  for (const char* value : {"other", "x", "y"}) {
    counters.with({value}).add();
    histograms.with({value}).observe(0.5);
  }
  const auto seen = scrape(registry);
  EXPECT_EQ(seen.at("jobs_total").value({{"a", "other"}}), 3);
  EXPECT_EQ(seen.at("wait").value({{"a", "other"}}, "_count"), 3);
}

TEST(Registry, TellsValuesApartThatLookAlikeWhenJoined) {
  Registry registry;
  auto& family = registry.counters("jobs_total", "Jobs", {"a", "b"});
  family.with({"xy", "z"}).add(1);
  family.with({"x", "yz"}).add(2);
  family.with({std::string_view("x\0y", 3), "z"}).add(4);
  family.with({"only one"}).add(8);
  family.with({"too", "many", "values"}).add(16);
  const auto seen = scrape(registry);
  EXPECT_EQ(seen.at("jobs_total").value({{"a", "xy"}, {"b", "z"}}), 1);
  EXPECT_EQ(seen.at("jobs_total").value({{"a", "x"}, {"b", "yz"}}), 2);
  EXPECT_EQ(seen.at("jobs_total").value({{"a", "only one"}, {"b", ""}}), 8);
  EXPECT_EQ(seen.at("jobs_total").value({{"a", "too"}, {"b", "many"}}), 16);
  EXPECT_EQ(seen.at("jobs_total").samples.size(), 5U);
}

TEST(Registry, CutsLongValuesAndStaysReadable) {
  Registry registry;
  std::string long_value(127, 'a');
  long_value += "ü and more";  // the cut falls into the letter
  registry.counters("jobs_total", "Jobs", {"a"}).with({long_value}).add();
  registry.add_source([&](Scrape& out) { out.gauge("level", "Level", {{"a", long_value}}, 1); });
  const auto seen = scrape(registry);
  EXPECT_EQ(seen.at("jobs_total").value({{"a", std::string(127, 'a') + "\xef\xbf\xbd"}}), 1);
  EXPECT_EQ(seen.at("level").value({{"a", std::string(127, 'a') + "\xef\xbf\xbd"}}), 1);
}

TEST(Registry, AsksSourcesAtEveryScrape) {
  Registry registry;
  int calls = 0;
  registry.add_source([&](Scrape& out) {
    ++calls;
    out.gauge("level", "Level", {{"of", "a"}}, calls);
    out.counter("seen_total", "Seen", {}, 5);
    out.gauge("level", "Level", {{"of", "b"}}, 7);
    out.gauge("level", "Level", {{"of", "b"}}, 8);
  });
  EXPECT_EQ(scrape(registry).at("level").value({{"of", "a"}}), 1);
  const auto seen = scrape(registry);
  EXPECT_EQ(seen.at("level").value({{"of", "a"}}), 2);
  EXPECT_EQ(seen.at("level").value({{"of", "b"}}), 7);
  EXPECT_EQ(seen.at("seen_total").value(), 5);
}

TEST(Registry, ShowsTheFirstOfTwoFamiliesWithOneName) {
  Registry registry;
  registry.counters("jobs_total", "First").only().add(1);
  registry.counters("jobs_total", "Second").only().add(2);
  EXPECT_EQ(scrape(registry).at("jobs_total").value(), 1);
}

TEST(Registry, IgnoresWhatWouldSpoilASeries) {
  Registry registry;
  auto& counter = registry.counters("jobs_total", "Jobs").only();
  counter.add(-5);
  counter.add(std::nan(""));
  counter.add(2);
  auto& histogram = registry.histograms("wait", "Wait", {1}).only();
  histogram.observe(std::nan(""));
  histogram.observe(1);  // a bound belongs to its bucket
  const auto seen = scrape(registry);
  EXPECT_EQ(seen.at("jobs_total").value(), 2);
  EXPECT_EQ(seen.at("wait").value({{"le", "1"}}), 1);
  EXPECT_EQ(seen.at("wait").value({}, "_sum"), 1);
}

}  // namespace
}  // namespace glovebox::telemetry

#include "runner/config.h"

#include <gtest/gtest.h>

namespace glovebox::runner {
namespace {

TEST(Config, IsStrictByDefaultAndTakesTheDegradedMode) {
  Config config;
  EXPECT_TRUE(apply_config("", "x.toml", config));
  EXPECT_FALSE(config.degraded);
  EXPECT_TRUE(apply_config("degraded = true\n", "x.toml", config));
  EXPECT_TRUE(config.degraded);
  EXPECT_TRUE(apply_config("degraded = false\n", "x.toml", config));
  EXPECT_FALSE(config.degraded);
}

TEST(Config, RefusesWhatItDoesNotKnowWithFileAndLine) {
  for (const char* text : {"\ndegarded = true", "degraded = 1", "degraded", "[degraded]",
                           "degraded = true\ndegraded = true", "\xc3\xbc = 1", "[="}) {
    Config config;
    const auto applied = apply_config(text, "x.toml", config);
    ASSERT_FALSE(applied) << text;
    EXPECT_NE(applied.error().message.find("x.toml"), std::string::npos);
    EXPECT_FALSE(config.degraded) << "fails closed";
  }
  Config config;
  EXPECT_NE(apply_config("\ndegarded = true", "x.toml", config).error().message.find("x.toml:2:1"), std::string::npos);
}

TEST(Config, TakesTheSettingsOfThePool) {
  Config config;
  ASSERT_TRUE(
      apply_config("[pool]\nmemory_mib = 256\nleast_idle = 1\nmost_idle = 4\nwhen_empty = \"cold\"\n"
                   "queue_length = 9\nqueue_wait_ms = 50\nzygote_cells = 100\nzygote_age_s = 60\n"
                   "idle_age_s = 30\nfresh_network = true\ntenants_apart = false\nmost_kinds = 7\n",
                   "glovebox.toml", config));
  EXPECT_EQ(config.pool.memory_budget_bytes, 256ULL << 20U);
  EXPECT_EQ(config.pool.least_idle, 1U);
  EXPECT_EQ(config.pool.most_idle, 4U);
  EXPECT_EQ(config.pool.when_empty, engine::WhenEmpty::cold);
  EXPECT_EQ(config.pool.queue_length, 9U);
  EXPECT_EQ(config.pool.queue_wait_ms, 50U);
  EXPECT_EQ(config.pool.zygote_cells, 100U);
  EXPECT_EQ(config.pool.zygote_age_s, 60U);
  EXPECT_EQ(config.pool.idle_age_s, 30U);
  EXPECT_TRUE(config.pool.fresh_network);
  EXPECT_FALSE(config.pool.tenants_apart);
  EXPECT_EQ(config.pool.most_kinds, 7U);
}

TEST(Config, RefusesSettingsOfThePoolThatMakeNoSense) {
  for (const char* text : {"pool = 1\n", "[pool]\nmost_idle = 0\n", "[pool]\nwhen_empty = \"never\"\n",
                           "[pool]\nfresh_network = 1\n", "[pool]\nleast_idle = 9\nmost_idle = 3\n",
                           "[pool]\nmemory = 5\n", "[pool]\nmemory_mib = -1\n", "[pool]\nmemory_mib = 1.5\n"}) {
    Config config;
    const auto applied = apply_config(text, "glovebox.toml", config);
    ASSERT_FALSE(applied) << text;
    EXPECT_NE(applied.error().message.find("glovebox.toml:"), std::string::npos);
  }
}

TEST(Config, MissingFilesAreNoError) { EXPECT_EQ(load_config({"/nonexistent/glovebox.toml"}).value(), Config{}); }

}  // namespace
}  // namespace glovebox::runner

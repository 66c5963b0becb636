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

TEST(Config, MissingFilesAreNoError) { EXPECT_EQ(load_config({"/nonexistent/glovebox.toml"}).value(), Config{}); }

}  // namespace
}  // namespace glovebox::runner

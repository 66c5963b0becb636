#include "cli/suggestion.h"

#include <gtest/gtest.h>

#include <vector>

namespace glovebox::cli {
namespace {

const std::vector<std::string> kWords = {"run", "runs", "replay", "--timeout", "--memory", "--file"};

TEST(Suggestion, ASlipFindsTheWordThatWasMeant) {
  EXPECT_EQ(closest("rnu", kWords), "run");
  EXPECT_EQ(closest("--tiemout", kWords), "--timeout");
  EXPECT_EQ(closest("--time-out", kWords), "--timeout");
  EXPECT_EQ(closest("--memroy", kWords), "--memory");
  EXPECT_EQ(closest("reply", kWords), "replay");
  EXPECT_EQ(did_you_mean("--fiel", kWords), "; did you mean --file?");
}

TEST(Suggestion, AnotherWordFindsNothing) {
  EXPECT_EQ(closest("delete", kWords), std::nullopt);
  EXPECT_EQ(closest("--network", kWords), std::nullopt);
  EXPECT_EQ(closest("", kWords), std::nullopt);
  EXPECT_EQ(closest(std::string(100'000, 'r'), kWords), std::nullopt);
  EXPECT_EQ(did_you_mean("x", {}), "");
}

}  // namespace
}  // namespace glovebox::cli

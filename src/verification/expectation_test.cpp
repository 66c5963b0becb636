#include "verification/expectation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace glovebox::verification {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

contract::RunRequest request(std::string expect) {
  contract::RunRequest made;
  made.code = "def solve(x): return x";
  made.files.push_back({*base::RelPath::parse("in.csv"), std::string("a\n1\n")});
  made.expect_json = std::move(expect);
  return made;
}

std::string broken_field(const std::string& expect, bool solve = true) {
  contract::RunRequest asked = request(expect);
  if (solve) {
    asked.input_json = "1";
  }
  const auto compiled = Expectation::compile(asked);
  if (compiled) {
    return "accepted";
  }
  EXPECT_EQ(compiled.error().code, base::ErrorCode::invalid_request);
  return compiled.error().field;
}

TEST(Expectation, EverythingWrongIsFoundBeforeTheRun) {
  EXPECT_EQ(broken_field(R"({"stdout_json_schema":{"properties":{"a":{"typo":1}}}})"),
            "expect.stdout_json_schema#/properties/a/typo");
  EXPECT_EQ(broken_field(R"({"value_json_schema":{"type":"int"}})"), "expect.value_json_schema#/type");
  EXPECT_EQ(broken_field(R"({"value_json_schema":{}})", false), "expect.value_json_schema");
  EXPECT_EQ(broken_field(R"({"artifacts":[{"path":"a","format":"xlsx"}]})"), "expect.artifacts[0].format");
  EXPECT_EQ(broken_field(R"({"artifacts":[{"path":"a","format":"png","rows":1}]})"), "expect.artifacts[0]");
  EXPECT_EQ(broken_field(R"({"artifacts":[{"path":"a","format":"csv","width":1}]})"), "expect.artifacts[0]");
  EXPECT_EQ(broken_field(R"({"artifacts":[{"path":"data.bin","min_rows":1}]})"), "expect.artifacts[0]");
  EXPECT_EQ(broken_field(R"({"artifacts":[{"path":"data.csv","min_rows":1},{"path":"a.jpg","width":1}]})"), "accepted");
  EXPECT_EQ(broken_field(R"({"invariants":["true","1 +"]})"), "expect.invariants[1]");
  EXPECT_EQ(broken_field(R"({"invariants":["len(value) == 1"]})", false), "expect.invariants[0]");
  EXPECT_EQ(broken_field(R"({"invariants":["row_count(input(\"out.csv\")) == 1"]})"), "expect.invariants[0]");
  EXPECT_EQ(broken_field(R"({"invariants":["row_count(input(\"in.csv\")) == 1"]})"), "accepted");
}

TEST(Expectation, BoundsTheCellsOfTests) {
  std::string inputs = "[0";
  for (int index = 1; index < 16; ++index) {
    inputs += "," + std::to_string(index);
  }
  inputs += "]";
  std::string properties;
  for (int index = 0; index < 5; ++index) {
    properties += (index == 0 ? "" : ",") + std::string(R"({"property":"idempotent","inputs":)") + inputs + "}";
  }
  EXPECT_EQ(broken_field(R"({"tests":{"properties":[)" + properties + "]}}"), "expect.tests");
}

TEST(Expectation, AnInverseNeedsALanguageThatCanNameIt) {
  contract::RunRequest asked =
      request(R"({"tests":{"properties":[{"property":"round_trip","inputs":[1],"inverse":"undo"}]}})");
  EXPECT_TRUE(Expectation::compile(asked));
  asked.language = "bash";
  EXPECT_EQ(Expectation::compile(asked).error().field, "expect.tests.properties[0].inverse");
}

TEST(Expectation, NamesTheFilesToCollectLiterally) {
  const auto compiled = Expectation::compile(request(
      R"({"artifacts":[{"path":"odd[1]*.csv","exists":true}],"invariants":["row_count(artifact(\"out/b.csv\")) == 1"]})"));
  ASSERT_TRUE(compiled) << compiled.error().message;
  EXPECT_THAT(compiled->artifact_patterns(), ElementsAre("odd[[]1][*].csv", "out/b.csv"));
  EXPECT_FALSE(compiled->needs_whole_work());
}

TEST(Expectation, OfWhatMustNotBeThereTheWayIsLookedAtToo) {
  const auto compiled = Expectation::compile(request(R"({"artifacts":[{"path":"a/b/c","exists":false}]})"));
  ASSERT_TRUE(compiled) << compiled.error().message;
  EXPECT_THAT(compiled->artifact_patterns(), ElementsAre("a/b/c", "a", "a/b"));
  EXPECT_TRUE(compiled->needs_whole_work());
}

TEST(Expectation, NothingExpectedIsFine) {
  contract::RunRequest asked;
  const auto compiled = Expectation::compile(asked);
  ASSERT_TRUE(compiled);
  EXPECT_FALSE(compiled->calls_solve());
  EXPECT_TRUE(compiled->artifact_patterns().empty());
}

}  // namespace
}  // namespace glovebox::verification

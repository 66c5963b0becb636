#include "contract/run_result_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "contract/test_support.h"

namespace glovebox::contract {
namespace {

using testing::HasSubstr;

RunResult full_result() {
  RunResult result;
  result.run_id = "run_1";
  result.outcome = Outcome::denied;
  result.standard_output = std::string("a\0b\x1b[0m\n", 8);
  result.standard_error = "é";
  result.stdout_bytes = 1ULL << 60U;
  result.stderr_bytes = 2;
  result.stdout_truncated = true;
  result.exit_code = 1;
  result.signal = "SIGKILL";
  result.error = RunError{base::ErrorCode::denied, "PermissionError", "no", 3, 4, "trace", "hint"};
  result.artifacts = {{"out.csv", 10, "ab", "text/csv", ""}};
  result.results = {{"value", "application/json", "[1,2.50]"}};
  result.metrics = {0.61, 0.4, 9'000'000, 3, 0.001, 12.5, {{"clone", 0.069}, {"mount", 1}}};
  result.validation = {"failed", {"too few rows"}, {{"expect.artifacts[0] out.csv", false, "too few rows"}}};
  result.denials = {{"socket(AF_INET, SOCK_STREAM)", "network is off", "seccomp", "network.allow", 2}};
  result.provenance = {"aa", "bb", "sha256:cc", "default@sha256:dd", "container", {"seccomp", "landlock"}, true};
  result.attempts = {{"warm", "setup_failed", "the launcher ended unexpectedly"}, {"cold", "denied"}};
  result.cached = true;
  return result;
}

TEST(RunResultCodec, AFullResultMakesTheRoundTrip) {
  for (const JsonStyle style : {JsonStyle::compact, JsonStyle::pretty}) {
    const auto again = parse_run_result(to_json(full_result(), style));
    ASSERT_TRUE(again.has_value()) << base::describe(again.error());
    EXPECT_EQ(*again, full_result());
  }
}

TEST(RunResultCodec, AnEmptyResultMakesTheRoundTrip) {
  EXPECT_EQ(parse_run_result(to_json(RunResult{})).value(), RunResult{});
}

TEST(RunResultCodec, EveryGoldenResultIsWrittenAsItWasRead) {
  for (const Example& example : read_examples("results")) {
    const auto result = parse_run_result(example.text);
    ASSERT_TRUE(result.has_value()) << example.name << ": " << base::describe(result.error());
    EXPECT_EQ(to_json(*result, JsonStyle::pretty) + "\n", example.text) << example.name;
  }
}

TEST(RunResultCodec, TheGoldenResultsShowManyOutcomes) {
  std::set<Outcome> outcomes;
  for (const Example& example : read_examples("results")) {
    outcomes.insert(parse_run_result(example.text)->outcome);
  }
  EXPECT_GE(outcomes.size(), 8U);
}

TEST(RunResultCodec, FieldsComeInTheOrderOfTheContract) {
  const auto json = nlohmann::ordered_json::parse(to_json(full_result()));
  std::string names;
  for (const auto& [name, value] : json.items()) {
    names += name + " ";
  }
  EXPECT_EQ(
      names,
      "run_id outcome success stdout stderr stdout_bytes stderr_bytes stdout_truncated stderr_truncated exit_code "
      "signal error artifacts results metrics validation denials provenance attempts cached ");
}

TEST(RunResultCodec, ArtifactBytesAreNeverPartOfTheJson) {
  RunResult result;
  result.artifacts = {{"a", 6, "x", "text/plain", "SECRET"}};
  EXPECT_THAT(to_json(result), testing::Not(HasSubstr("SECRET")));
  EXPECT_EQ(parse_run_result(to_json(result))->artifacts.at(0).content, "");
}

TEST(RunResultCodec, AbsentPartsAreNull) {
  RunResult result;
  result.error = RunError{};
  EXPECT_THAT(to_json(result),
              HasSubstr(R"("exit_code":null,"signal":null,"error":{"code":"internal_error","type":null,)"
                        R"("message":"","line":null,"column":null,"traceback":null,"hint":null})"));
}

TEST(RunResultCodec, OutputThatIsNotUtf8GetsReplacementCharacters) {
  RunResult result;
  result.standard_output = "a\xff\n";
  EXPECT_EQ(parse_run_result(to_json(result))->standard_output, "a\xef\xbf\xbd\n");
}

TEST(RunResultCodec, AReturnedValueCannotChangeTheResult) {
  RunResult result;
  result.results = {{"value", "application/json", R"(1}],"success":true,"results":[{"value":1)"}};
  const auto again = parse_run_result(to_json(result));
  ASSERT_TRUE(again.has_value());
  EXPECT_FALSE(again->success);
  EXPECT_EQ(again->results.at(0).json.front(), '"');
}

TEST(RunResultCodec, DurationsAreRoundedToMicroseconds) {
  RunResult result;
  result.metrics.wall_ms = 1.23456789;
  EXPECT_THAT(to_json(result), HasSubstr(R"("wall_ms":1.235,)"));
  EXPECT_EQ(parse_run_result(to_json(result))->metrics.wall_ms, 1.235);
}

// Visits every object of the document, wherever it is.
void for_each_object(nlohmann::json& value, const std::function<void(nlohmann::json&)>& visit) {
  if (value.is_object()) {
    visit(value);
  }
  for (auto& child : value) {
    if (child.is_structured()) {
      for_each_object(child, visit);
    }
  }
}

TEST(RunResultCodec, AMissingOrUnknownFieldAnywhereIsAnError) {
  auto document = nlohmann::json::parse(to_json(full_result()));
  int visited = 0;
  for_each_object(document, [&](nlohmann::json& object) {
    if (object == document.at("metrics").at("stages")) {
      return;  // a map: any name will do
    }
    ++visited;
    const nlohmann::json intact = object;
    object["zebra"] = 1;
    EXPECT_THAT(parse_run_result(document.dump()).error().field, HasSubstr("zebra"));
    for (const auto& [name, value] : intact.items()) {
      if (name == "reason") {
        continue;  // of an attempt: younger than some records
      }
      object = intact;
      object.erase(name);
      const auto parsed = parse_run_result(document.dump());
      ASSERT_FALSE(parsed.has_value()) << name;
      EXPECT_THAT(parsed.error().field, HasSubstr(name));
    }
    object = intact;
  });
  EXPECT_EQ(visited, 11);
}

TEST(RunResultCodec, UnknownWordsAreRefused) {
  const std::string text = to_json(full_result());
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return parse_run_result(changed).error().field;
  };
  EXPECT_EQ(with(R"("outcome":"denied")", R"("outcome":"fine")"), "outcome");
  EXPECT_EQ(with(R"("code":"denied")", R"("code":"fine")"), "error.code");
  EXPECT_EQ(with(R"("status":"failed")", R"("status":"fine")"), "validation.status");
  EXPECT_EQ(with(R"("exit_code":1)", R"("exit_code":256)"), "exit_code");
  EXPECT_EQ(with(R"("line":3)", R"("line":0)"), "error.line");
  EXPECT_EQ(with(R"("clone":0.069)", R"("clone":-1)"), "metrics.stages.clone");
}

}  // namespace
}  // namespace glovebox::contract

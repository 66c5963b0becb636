#include "verification/invariant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/build_speed.h"
#include "base/sha256.h"
#include "base/thread_clock.h"
#include "verification/functions.h"
#include "verification/unhurried_budget.h"

namespace glovebox::verification {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class InvariantTest : public ::testing::Test {
 protected:
  InvariantTest() {
    add("out.csv", "name,price,share\nale,3,0.25\nbun,1,0.5\ncod,2,0.25\n");
    add("gaps.csv", "a,b\n1,\n,x\n3,y\n");
    add("list.json", R"([{"id":1,"tag":"a"},{"id":2,"tag":"b"}])");
    add("lines.jsonl", "{\"n\":1}\n{\"n\":2}\n");
    add("broken.csv", "a,b\n1\n");
    evidence_.artifacts = artifacts_;
    evidence_.standard_output =
        R"({"items":[{"name":"x","n":3},{"name":"y","n":4.5}],"total":7.5,"none":null,"big":123456789012345678901234567890,"ids":[3,1,2],"on":true})";
    evidence_.value_json = "[1,2,3]";
    evidence_.input_json = "[3,1,2]";
    evidence_.read_input = [](const std::string& path) -> base::Result<std::string> {
      return path == "in.csv" ? base::Result<std::string>("name,price\nale,3\nbun,1\ncod,2\n")
                              : base::fail(base::ErrorCode::invalid_output, "gone");
    };
  }

  void add(const std::string& path, const std::string& content) {
    contract::Artifact artifact;
    artifact.path = path;
    artifact.content = content;
    artifacts_.push_back(artifact);
  }

  std::string problem(std::string_view text) {
    WorkBudget budget = unhurried_budget();
    Documents documents(evidence_, budget);
    const auto invariant = Invariant::parse(text);
    if (!invariant) {
      return "refused: " + invariant.error().message;
    }
    return invariant->problem_with(documents);
  }

  std::vector<contract::Artifact> artifacts_;
  Evidence evidence_;
};

TEST_F(InvariantTest, HoldWhereTheyAreTrue) {
  const char* const kTrue[] = {
      "true",
      "not false",
      "1 + 2 * 3 == 7",
      "(1 + 2) * 3 == 9",
      "-2 * -3 == 6",
      "7 // 2 == 3 and -7 // 2 == -4 and -7 % 3 == 2 and 7 % -3 == -2",
      "7 / 2 == 3.5",
      "0.1 + 0.2 != 0.3",
      "1 == 1.0",
      "9007199254740993 != 9007199254740992",
      "9007199254740993 > 9007199254740992.0",
      "0 <= 0.5 <= 1",
      "1 < 2 < 3 and not 1 < 3 < 2",
      "false or true",
      "\"a\" < \"b\" and 'x' == \"x\"",
      "\"a\\\"b\" == 'a\"b' and r'\\d' == '\\\\d'",
      "[1, 2] == [1.0, 2] and [1] != [1, 1] and [] == []",
      "2 in [1, 2] and 3 not in [1, 2] and \"b\" in \"abc\" and \"total\" in json",
      "null == json.none",
      "json.total == 7.5",
      "json.items[0].name == \"x\" and json.items[-1].n == 4.5 and json[\"total\"] > 7",
      "sum(column(json.items, \"n\")) == json.total",
      "json.big == 123456789012345678901234567890",
      "json.big != 123456789012345678901234567891",
      "keys(json.items[0]) == [\"n\", \"name\"]",
      "json.on",
      "len(json.items) == 2 and len(\"äö\") == 2 and len(json.items[0]) == 2",
      "row_count(artifact(\"out.csv\")) == row_count(input(\"in.csv\"))",
      "row_count(artifact(\"out.csv\")) == 3 and len(artifact(\"out.csv\")) == 3",
      "columns(artifact(\"out.csv\")) == [\"name\", \"price\", \"share\"]",
      "set(columns(input(\"in.csv\"))) == set([\"price\", \"name\"])",
      "sum(column(artifact(\"out.csv\"), \"price\")) == 6",
      "approx(sum(column(artifact(\"out.csv\"), \"share\")), 1, 1e-9)",
      "min(column(artifact(\"out.csv\"), \"price\")) == 1 and max(column(artifact(\"out.csv\"), \"price\")) == 3",
      "mean(column(artifact(\"out.csv\"), \"price\")) == 2",
      "sorted(column(artifact(\"out.csv\"), \"name\")) and sorted([3, 2, 2], \"desc\") and not sorted([1, 3, 2])",
      "unique(column(artifact(\"out.csv\"), \"name\")) and not unique([1, 1.0])",
      "all(column(artifact(\"out.csv\"), \"price\") > 0) and not any(column(artifact(\"out.csv\"), \"price\") > 3)",
      "all(0 <= column(artifact(\"out.csv\"), \"share\") <= 1)",
      "all(matches(column(artifact(\"out.csv\"), \"name\"), r\"^[a-z]{3}$\"))",
      "count(column(artifact(\"out.csv\"), \"price\") >= 2) == 2 and count([null, 1, false, true, 0]) == 3",
      "count(column(artifact(\"gaps.csv\"), \"a\")) == 2 and sum(present(column(artifact(\"gaps.csv\"), \"a\"))) == 4",
      "column(artifact(\"out.csv\"), \"price\") * 2 == [6, 2, 4]",
      "approx([1, 2], [1.0001, 1.9999], 0.001) and not approx([1], [2], 0.5)",
      "set(value) == set(input) and sorted(value) and len(value) == len(input)",
      "set(json.ids) == set([1, 2, 3]) and len(set([1, 1, 2])) == 2",
      "column(artifact(\"list.json\"), \"tag\") == [\"a\", \"b\"] and row_count(artifact(\"list.json\")) == 2",
      "sum(column(artifact(\"lines.jsonl\"), \"n\")) == 3",
      "matches(stdout, \"\\\"total\\\":7\\\\.5\") and not matches(stdout, \"error\")",
      "lines(\"a\\r\\nb\\n\") == [\"a\", \"b\"] and number(\"2.5\") == 2.5 and number([\"1\", 2]) == [1, 2]",
      "round(2.456, 2) == 2.46 and round([1.4, 2.6]) == [1, 3] and abs(-3) == 3 and abs([-1.5]) == [1.5]",
      "sha256(\"abc\") == \"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"",
      "artifact(\"out.csv\", \"text\") != \"\" and \"ale\" in artifact(\"out.csv\", \"text\")",
      "sum([]) == 0",
      "false and 1 / 0 == 1 or true",
  };
  for (const char* text : kTrue) {
    EXPECT_EQ(problem(text), "") << text;
  }
}

TEST_F(InvariantTest, AFalseOneShowsWhatWasSeen) {
  const std::pair<const char*, const char*> kFalse[] = {
      {"sum(column(artifact(\"out.csv\"), \"price\")) == 7", "seen: 6 == 7"},
      {"0 <= json.total <= 5", "seen: 0 <= 7.5 <= 5"},
      {"true and json.total < 1", "seen: 7.5 < 1"},
      {"json.total < 1 or len(value) == 4", "seen: 7.5 < 1; seen: 3 == 4"},
      {"all(column(artifact(\"out.csv\"), \"price\") > 1)", "1 of 3 elements break it; element 1: 1 > 1"},
      {"all(0 < column(artifact(\"out.csv\"), \"share\") < 0.5)", "element 1: 0 < 0.5 < 0.5"},
      {"sorted(json.ids)", "seen: sorted([3, 1, 2])"},
      {"approx(1, 2, 0.5)", "seen: approx(1, 2, 0.5)"},
      {"columns(artifact(\"out.csv\")) == [\"name\"]", "seen: [\"name\", \"price\", \"share\"] == [\"name\"]"},
      {"\"x\" in [\"y\"]", "seen: \"x\" in [\"y\"]"},
      {"not json.on", "it is false"},
      {"json.big == 123456789012345678901234567891",
       "seen: 123456789012345678901234567890 == 123456789012345678901234567891"},
      {"1 == \"1\"", "seen: 1 == \"1\""},
      {"null == 0", "seen: null == 0"},
      {"true == 1", "seen: true == 1"},
  };
  for (const auto& [text, seen] : kFalse) {
    EXPECT_THAT(problem(text), HasSubstr(seen)) << text;
  }
}

TEST_F(InvariantTest, MissingDataAndMixedKindsFailAndSaySo) {
  const std::pair<const char*, const char*> kFailing[] = {
      {"sum(column(artifact(\"out.csv\"), \"cost\")) >= 0",
       "there is no column \"cost\"; the columns are name, price, share"},
      {"row_count(artifact(\"nothing.csv\")) == 0", "nothing.csv: the program did not make this file"},
      {"row_count(artifact(\"broken.csv\")) >= 0", "broken.csv: row 1 has 1 cells"},
      {"row_count(input(\"gone.csv\")) >= 0", "input gone.csv: gone"},
      {"json.missing == null", "there is no \"missing\""},
      {"json.items[7].n == 1", "there is no element 7 in a list of 2"},
      {"json.total.x == 1", "a number has no part \"x\""},
      {"artifact(\"out.csv\").price == 1", "use column(table, \"name\")"},
      {"sum(column(artifact(\"gaps.csv\"), \"a\")) == 4", "element 1 is null, not a number"},
      {"sum(column(artifact(\"gaps.csv\"), \"b\")) == 4", "element 0 is null"},
      {"all(column(artifact(\"gaps.csv\"), \"a\") > 0)", "element 1: null (null) and 0 (a number) have no order"},
      {"min([]) == 0", "min() of an empty list"},
      {"mean([]) == 0", "mean() of an empty list"},
      {"1 / 0 == 1", "divided by zero"},
      {"9223372036854775807 + 1 > 0", "does not fit 64 bits"},
      {"sum([9223372036854775807, 1]) > 0", "does not fit 64 bits"},
      {"1e308 * 10 > 0", "not a finite number"},
      {"json.big > 1", "have no order"},
      {"json.big + 1 > 0", "cannot compute"},
      {"\"a\" < 1", "have no order"},
      {"\"a\" + \"b\" == \"ab\"", "cannot compute"},
      {"[1, 2] < [1]", "lists of 2 and 1 elements"},
      {"column(artifact(\"out.csv\"), \"price\") > 0", "wrap it in all() or any()"},
      {"json.ids", "gives a list"},
      {"json.total", "gives a number 7.5, not true or false"},
      {"json.total and true", "neither true nor false"},
      {"not json.ids", "wrap it in all()"},
      {"all([1, 2])", "element 0 is 1, not true or false"},
      {"sorted(json.ids) == json.ids", "wrap it in all()"},
      {"len(json.total) == 1", "takes a list"},
      {"artifact(\"out.csv\") == artifact(\"out.csv\")", "tables cannot be compared"},
      {"column(json.items, \"zebra\") == []", "element 0 has no \"zebra\""},
      {"number(\"x\") == 1", "\"x\" is not a number"},
      {"round(1, 99) == 1", "0 to 15 digits"},
      {"sorted([1, \"a\"])", "have no order"},
      {"sorted([null])", "have no order"},
  };
  for (const auto& [text, why] : kFailing) {
    EXPECT_THAT(problem(text), HasSubstr(why)) << text;
  }
}

TEST_F(InvariantTest, WhatDoesNotParseIsRefusedWithItsColumn) {
  const std::pair<const char*, const char*> kRefused[] = {
      {"", "column 1: expected a value, found the end"},
      {"1 +", "column 4: expected a value"},
      {"1 == == 2", "column 6: expected a value"},
      {"a = 1", "column 1: there is nothing named \"a\""},
      {"json = 1", "equality is =="},
      {"1 2", "column 3: expected an operator or the end, found \"2\""},
      {"(1", "expected \")\""},
      {"[1, 2", "expected \",\""},
      {"\"abc", "column 1: a string that is not closed"},
      {"\"\\d\"", "r\"…\" keeps backslashes"},
      {"rowcount(json) == 1", "there is no function \"rowcount\""},
      {"sum == 1", "there is nothing named \"sum\""},
      {"sum(1, 2) == 1", "2 arguments given; write sum(list)"},
      {"approx(1, 2)", "approx(a, b, tolerance)"},
      {"matches(stdout, json)", "a string has to stand here"},
      {"matches(stdout, \"(?=a)\")", "not one of RE2"},
      {"matches(stdout, \"(\")", "not one of RE2"},
      {"artifact(stdout) == 1", "a string has to stand here"},
      {"artifact(\"../x\") == 1", "column 10:"},
      {"artifact(\"x\", \"exe\") == 1", "expected \"csv\""},
      {"sorted(json, \"up\")", "expected \"asc\" or \"desc\""},
      {"json.", "a name behind the dot"},
      {"json[", "expected a value"},
      {"1 @ 2", "column 3: \"@\" is not part of the language"},
      {"007 == 7", "\"007\" is not a number"},
      {"import os", "there is nothing named \"import\""},
      {"__import__(\"os\")", "there is no function"},
      {"and", "expected a value"},
      {"not", "expected a value"},
      {"1 if true else 2", "expected an operator"},
      {"\xff", "not UTF-8"},
  };
  for (const auto& [text, why] : kRefused) {
    EXPECT_THAT(problem(text), HasSubstr(why)) << text;
    EXPECT_THAT(problem(text), HasSubstr("refused: column ")) << text;
  }
}

TEST_F(InvariantTest, SuggestsTheFunctionThatWasMeant) {
  EXPECT_THAT(Invariant::parse("rowcount(json) == 1").error().hint, HasSubstr("row_count"));
  EXPECT_THAT(Invariant::parse("sum == 1").error().hint, HasSubstr("it is a function"));
}

TEST_F(InvariantTest, BoundsTheTextsNesting) {
  EXPECT_THAT(problem(std::string(2000, '(')), HasSubstr("nested deeper"));
  EXPECT_THAT(problem(std::string(2000, '[')), HasSubstr("nested deeper"));
  EXPECT_THAT(problem(std::string(2000, '-') + "1"), HasSubstr("nested deeper"));
  std::string nots;
  std::string sum = "1";
  std::string path = "json";
  std::string list = "[1";
  for (int index = 0; index < 600; ++index) {
    nots += "not ";
    sum += "+1";
    path += ".a";
    list += ",1";
  }
  EXPECT_THAT(problem(nots + "true"), HasSubstr("nested deeper"));
  EXPECT_THAT(problem(sum + " == 1"), HasSubstr("too many operators"));
  EXPECT_THAT(problem(path), HasSubstr("a path of more than"));
  EXPECT_THAT(problem(list + "] == 1"), HasSubstr("more than 500 parts"));
}

TEST_F(InvariantTest, BoundsTheWork) {
  std::string many = "x\n";
  for (int index = 0; index < 300'000; ++index) {
    many += "1\n";
  }
  add("many.csv", many);
  evidence_.artifacts = artifacts_;
  EXPECT_EQ(problem("sum(column(artifact(\"many.csv\"), \"x\")) == 300000"), "");
  std::string nested = "column(artifact(\"many.csv\"), \"x\")";
  for (int index = 0; index < 12; ++index) {
    nested = "(" + nested + " + 1)";
  }
  EXPECT_THAT(problem("all(" + nested + " > 0)"), HasSubstr("elements together"));
  EXPECT_THAT(problem("len(lines(stdout)) == 1"), "");
}

// Too large for an automaton, so that every byte of the text costs as much as the pattern is long.
TEST_F(InvariantTest, ALargePatternPaysForItsSize) {
  std::string text;
  for (int index = 0; index < 2'000'000; ++index) {
    text += "ab";
  }
  add("long.txt", text);
  evidence_.artifacts = artifacts_;
  const auto started = base::ThreadClock::now();
  EXPECT_THAT(problem("matches(artifact(\"long.txt\"), \"[ab]*a[ab]{900}[ab]{900}c\")"), HasSubstr("used up"));
  EXPECT_LT(base::ThreadClock::now() - started, std::chrono::seconds(20 * base::kSlowness));
  EXPECT_EQ(problem("matches(artifact(\"long.txt\"), \"ab\")"), "");
}

TEST_F(InvariantTest, KnowsWhatItNeeds) {
  const auto needs =
      Invariant::parse("len(value) == row_count(artifact(\"a.csv\")) and row_count(input(\"b.csv\")) > 0")->needs();
  EXPECT_THAT(needs.artifacts, ElementsAre("a.csv"));
  EXPECT_THAT(needs.inputs, ElementsAre("b.csv"));
  EXPECT_TRUE(needs.solve);
  EXPECT_FALSE(Invariant::parse("json.value == 1")->needs().solve);
}

TEST_F(InvariantTest, CutOutputCannotBeChecked) {
  evidence_.stdout_truncated = true;
  EXPECT_THAT(problem("len(stdout) > 0"), HasSubstr("stdout was cut"));
  EXPECT_THAT(problem("json.total == 7.5"), HasSubstr("stdout was cut"));
}

TEST_F(InvariantTest, EveryFunctionSaysHowToWriteIt) {
  for (const Function& function : all_functions()) {
    EXPECT_TRUE(function.usage.starts_with(std::string(function.name) + "(")) << function.name;
    EXPECT_LE(function.most_arguments, function.literals.size());
  }
}

TEST_F(InvariantTest, NumbersBeyondDoublesAreNeverSmall) {
  const std::string huge = std::string(400, '9') + ".5";
  add("huge.csv", "a\n" + huge + "\n");
  add("tiny.csv", "a\n0." + std::string(400, '0') + "5\n-1e-999\n");
  evidence_.artifacts = artifacts_;
  EXPECT_THAT(problem(R"(sum(column(artifact("huge.csv"), "a")) <= 1)"), HasSubstr("not a number"));
  EXPECT_THAT(problem(R"(column(artifact("huge.csv"), "a")[0] < 10)"), HasSubstr("no order"));
  EXPECT_THAT(problem(R"(column(artifact("huge.csv"), "a")[0] == 0)"), HasSubstr("seen"));
  EXPECT_EQ(problem(R"(sum(column(artifact("tiny.csv"), "a")) == 0)"), "");
}

TEST_F(InvariantTest, SumsBeyondDoublesFail) {
  add("large.csv", "a\n1e308\n1e308\n");
  evidence_.artifacts = artifacts_;
  EXPECT_THAT(problem(R"(sum(column(artifact("large.csv"), "a")) > 0)"), HasSubstr("finite"));
  EXPECT_THAT(problem(R"(mean(column(artifact("large.csv"), "a")) > 0)"), HasSubstr("finite"));
}

TEST_F(InvariantTest, EqualNumbersAreEqualHoweverTheyAreWritten) {
  evidence_.standard_output = "[100000000000000000000, 1e20, 1e23, 100000000000000000000000, 2, 2.0]";
  EXPECT_EQ(problem("json[0] == json[1]"), "");
  EXPECT_THAT(problem("json[0] != json[1]"), HasSubstr("seen"));
  EXPECT_EQ(problem("json[2] == json[3]"), "");
  EXPECT_EQ(problem("not unique([json[0], json[1]])"), "");
  EXPECT_EQ(problem("len(set(json)) == 3"), "");
  EXPECT_EQ(problem("json[0] != json[3] and json[0] != 2"), "");
}

TEST_F(InvariantTest, ApproxIsExact) {
  evidence_.standard_output = "[9007199254740993, 9007199254740992, 1.1, -9223372036854775808, 9223372036854775807]";
  EXPECT_THAT(problem("approx(json[0], json[1], 0)"), HasSubstr("seen"));
  EXPECT_THAT(problem("approx(json[0], json[1], 0.5)"), HasSubstr("seen"));
  EXPECT_EQ(problem("approx(json[0], json[1], 1)"), "");
  EXPECT_EQ(problem("approx(json[2], 1.0, 0.1)"), "");
  EXPECT_THAT(problem("approx(json[3], json[4], 1.8446744073709550e19)"), HasSubstr("seen"));
  EXPECT_EQ(problem("approx(1, 1.0, 0)"), "");
}

}  // namespace
}  // namespace glovebox::verification

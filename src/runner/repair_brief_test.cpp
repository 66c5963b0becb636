#include "runner/repair_brief.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "contract/json_parse.h"

namespace glovebox::runner {
namespace {

using contract::Outcome;
using testing::HasSubstr;
using testing::Not;

contract::RunRequest request_of(std::string code) {
  contract::RunRequest request;
  request.code = std::move(code);
  return request;
}

contract::RunResult failed(std::string message, std::optional<std::uint32_t> line,
                           base::ErrorCode code = base::ErrorCode::runtime_error) {
  contract::RunResult result;
  result.run_id = "run_1";
  result.outcome = Outcome::program_failed;
  result.error = contract::RunError{};
  result.error->code = code;
  result.error->type = "KeyError";
  result.error->message = std::move(message);
  result.error->line = line;
  result.error->hint = "print the keys";
  return result;
}

TEST(RepairBrief, ShowsTheFailingLineAmongItsNeighbours) {
  const RepairBrief brief = make_brief(request_of("a\nb\nc\nd\ne\nf\ng\nh\ni\n"), failed("'x'", 5));
  ASSERT_EQ(brief.lines.size(), 7U);
  EXPECT_EQ(brief.lines.front(), (NumberedLine{2, "b", false}));
  EXPECT_EQ(brief.lines[3], (NumberedLine{5, "e", true}));
  EXPECT_EQ(brief.lines.back(), (NumberedLine{8, "h", false}));
  EXPECT_TRUE(brief.repairable);
  EXPECT_THAT(to_text(brief), HasSubstr(">    5 | e\n"));
  EXPECT_THAT(to_text(brief), HasSubstr("Error: KeyError: 'x' (line 5)\nHint: print the keys\n"));
  EXPECT_THAT(to_text(brief), HasSubstr(std::string(kRepairRule)));
}

TEST(RepairBrief, EndsWhereTheProgramEnds) {
  EXPECT_EQ(make_brief(request_of("only"), failed("'x'", 1)).lines.size(), 1U);
  EXPECT_TRUE(make_brief(request_of("only"), failed("'x'", 4'000'000'000)).lines.empty());
  EXPECT_TRUE(make_brief(request_of(""), failed("'x'", 1)).lines.empty());
  EXPECT_TRUE(make_brief(request_of("only"), failed("'x'", std::nullopt)).lines.empty());
}

TEST(RepairBrief, ShowsTheFileThatTheLineCountsIn) {
  contract::RunRequest request = request_of("import helper\n");
  request.files.push_back({*base::RelPath::parse("helper.py"), std::string("def f():\n    broken\n")});
  contract::RunResult result = failed("'x'", 2);
  result.error->hint = "check it; the line is in /work/helper.py";
  const RepairBrief brief = make_brief(request, result);
  EXPECT_EQ(brief.file, "/work/helper.py");
  ASSERT_EQ(brief.lines.size(), 2U);
  EXPECT_EQ(brief.lines[1], (NumberedLine{2, "    broken", true}));
  result.error->hint = "the line is in /work/other.py";
  EXPECT_TRUE(make_brief(request, result).lines.empty()) << "not a file of the request";
}

TEST(RepairBrief, WhatTheProgramWroteIsCleanAndBounded) {
  const std::string line = "x = '\x1b[2J" + std::string(100'000, 'y') + "\xff'";
  const std::string text = to_text(make_brief(request_of(line), failed(std::string(100'000, 'm'), 1)));
  EXPECT_LT(text.size(), 2'000U);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(RepairBrief, IsJsonWithTheTextInIt) {
  RepairBrief brief = make_brief(request_of("a\nb"), failed("\"quoted\"", 2));
  brief.attempts_left = 2;
  brief.tried.push_back(in_short(failed("earlier", 1)));
  const std::string json = to_json(brief);
  EXPECT_TRUE(contract::parse_json(json, {})) << json;
  EXPECT_THAT(json, HasSubstr(R"("failing_lines":[{"line":1,"text":"a","failing":false})"));
  EXPECT_THAT(json, HasSubstr(R"("attempts_left":2,"budget_left_ms":null)"));
  EXPECT_THAT(to_text(brief), HasSubstr("  1. KeyError: earlier (line 1)\n"));
}

TEST(RepairBrief, OnlyWhatNewCodeCanMendIsRepairable) {
  for (int index = 0; index < contract::kOutcomeCount; ++index) {
    contract::RunResult result = failed("m", 1);
    result.outcome = static_cast<Outcome>(index);
    const bool expected = result.outcome != Outcome::ok && result.outcome != Outcome::rejected &&
                          result.outcome != Outcome::cancelled && result.outcome != Outcome::setup_failed &&
                          result.outcome != Outcome::internal_error;
    EXPECT_EQ(is_repairable(result), expected) << contract::to_string(result.outcome);
  }
  contract::RunResult over = failed("m", 1, base::ErrorCode::budget_exceeded);
  over.outcome = Outcome::timeout;
  EXPECT_FALSE(is_repairable(over));
}

TEST(ErrorSignature, IsTheSameForTheSameErrorFurtherDown) {
  const std::string first = error_signature(request_of("x = row['a']"), failed("at 0x7f12: row 3", 1));
  EXPECT_EQ(error_signature(request_of("import os\nx = row['a']  "), failed("at 0x7f99: row 41", 2)), first);
  EXPECT_NE(error_signature(request_of("x = row['b']"), failed("at 0x7f12: row 3", 1)), first);
  EXPECT_NE(error_signature(request_of("x = row['a']"), failed("another", 1)), first);
  contract::RunResult good;
  good.success = true;
  EXPECT_EQ(error_signature(request_of("x"), good), "");
}

TEST(CodeOfAnswer, TakesOffAFenceAndNothingElse) {
  EXPECT_EQ(code_of_answer("```python\nprint(1)\n```\n"), "print(1)\n");
  EXPECT_EQ(code_of_answer("\n```\nprint(1)\n```"), "print(1)\n");
  EXPECT_EQ(code_of_answer("print(1)\n"), "print(1)\n");
  EXPECT_EQ(code_of_answer("print('```')\n"), "print('```')\n");
  for (const char* text : {"", "```", "``````", "```\n```", "```python", "\n\n"}) {
    (void)code_of_answer(text);
  }
  EXPECT_EQ(code_of_answer("```\n```"), "");
}

}  // namespace
}  // namespace glovebox::runner

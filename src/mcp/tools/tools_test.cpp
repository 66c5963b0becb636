#include <gtest/gtest.h>

#include "base/utf8.h"
#include "mcp/tools/run_arguments.h"
#include "mcp/tools/run_job.h"
#include "mcp/tools/run_uri.h"
#include "mcp/tools/tool_answer.h"

namespace glovebox::mcp {
namespace {

TEST(RunUri, ReadsWhatItWrites) {
  for (const RunUri& uri :
       {RunUri{"run_1", RunUri::Part::standard_output, ""}, RunUri{"run_1", RunUri::Part::standard_error, ""},
        RunUri{"run_1", RunUri::Part::result, ""}, RunUri{"run_1", RunUri::Part::artifact, "out/a b%.csv"},
        RunUri{"run_1", RunUri::Part::artifact, "plöt.png"}}) {
    EXPECT_EQ(parse_run_uri(to_string(uri)), uri) << to_string(uri);
  }
}

TEST(RunUri, RefusesEveryWayOut) {
  for (const char* text :
       {"", "glovebox://runs/", "glovebox://runs//stdout", "glovebox://runs/run_1", "glovebox://runs/run_1/other",
        "glovebox://runs/run_1/artifacts/", "glovebox://runs/run_1/artifacts/../x",
        "glovebox://runs/run_1/artifacts/%2e%2e/x", "glovebox://runs/run_1/artifacts/%2Fetc/passwd",
        "glovebox://runs/run_1/artifacts/%00", "glovebox://runs/run_1/artifacts/%4", "file:///etc/passwd"}) {
    EXPECT_FALSE(parse_run_uri(text)) << text;
  }
}

TEST(ToolAnswer, LongOutputIsShownAsItsBeginningAndItsEnd) {
  std::string text = "begin " + std::string(1000, 'x') + " end";
  EXPECT_FALSE(shorten(text, 2000, "uri"));
  EXPECT_TRUE(shorten(text, 100, "glovebox://x"));
  EXPECT_LT(text.size(), 250U);
  EXPECT_TRUE(text.starts_with("begin x"));
  EXPECT_TRUE(text.ends_with("x end"));
  EXPECT_NE(text.find("glovebox://x"), std::string::npos);
}

TEST(ToolAnswer, NoCharacterIsCutInTwo) {
  for (std::size_t most = 10; most < 30; ++most) {
    std::string text;
    for (int count = 0; count < 40; ++count) {
      text += "aé€😀";
    }
    ASSERT_TRUE(shorten(text, most, "u"));
    EXPECT_TRUE(base::is_valid_utf8(text)) << most;
  }
}

TEST(ToolAnswer, MembersAreAddedToAnObject) {
  EXPECT_EQ(with_members("{}", "\"a\":1"), R"({"a":1})");
  EXPECT_EQ(with_members(R"({"a":1})", "\"b\":2"), R"({"a":1,"b":2})");
  EXPECT_EQ(with_members(R"({"a":1})", ""), R"({"a":1})");
}

TEST(RunArguments, TheContractReadsItsOwnFields) {
  static constexpr std::string_view kFields[] = {"code", "limits"};
  const auto read = read_run_arguments(R"j({"code":"print(1)","workspace":"ws_1","limits":{"wall_ms":7}})j", kFields);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->request.code, "print(1)");
  EXPECT_EQ(read->request.limits.wall_ms, 7U);
  EXPECT_EQ(read->workspace, "ws_1");
  const auto wrong = read_run_arguments(R"({"code":"x","limits":{"wall_ms":"long"}})", kFields);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().field, "limits.wall_ms");
  const auto unknown = read_run_arguments(R"({"code":"x","network":{}})", kFields);
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("network"), std::string::npos);
}

contract::RunResult failed_with(contract::Outcome outcome, base::ErrorCode code) {
  contract::RunResult result;
  result.outcome = outcome;
  result.error = contract::RunError{};
  result.error->code = code;
  result.attempts.push_back({"cold", "setup_failed"});
  return result;
}

TEST(Fallback, OnlyFailuresOfOursCount) {
  using base::ErrorCode;
  using contract::Outcome;
  EXPECT_TRUE(is_infrastructure_failure(failed_with(Outcome::setup_failed, ErrorCode::setup_failed)));
  EXPECT_TRUE(is_infrastructure_failure(failed_with(Outcome::internal_error, ErrorCode::internal_error)));
  EXPECT_FALSE(is_infrastructure_failure(failed_with(Outcome::program_failed, ErrorCode::runtime_error)));
  EXPECT_FALSE(is_infrastructure_failure(failed_with(Outcome::timeout, ErrorCode::wall_timeout)));
  EXPECT_FALSE(is_infrastructure_failure(failed_with(Outcome::rejected, ErrorCode::rejected)));
  EXPECT_FALSE(is_infrastructure_failure(failed_with(Outcome::setup_failed, ErrorCode::limits_unavailable)))
      << "a host without limits must not be tried another way";
}

TEST(Fallback, WithoutAFailedCellThereIsNothingToTryAnotherWay) {
  contract::RunResult result = failed_with(contract::Outcome::internal_error, base::ErrorCode::internal_error);
  result.attempts.clear();
  EXPECT_FALSE(is_infrastructure_failure(result));
}

TEST(Fallback, TheShellGetsTheProgramAndTheSameWalls) {
  contract::RunRequest request;
  request.code = "print('it''s')\nEOF\n";
  request.limits.wall_ms = 1234;
  request.policy = "strict";
  const auto shell = shell_fallback(request);
  ASSERT_TRUE(shell);
  EXPECT_EQ(shell->language, "bash");
  EXPECT_EQ(shell->policy, "strict");
  EXPECT_EQ(shell->limits, request.limits);
  EXPECT_EQ(shell->isolation, request.isolation);
  EXPECT_NE(shell->code.find(request.code), std::string::npos);
  request.language = "bash";
  EXPECT_FALSE(shell_fallback(request)) << "a shell has no other way";
  request.language = "python";
  request.input_json = "1";
  EXPECT_FALSE(shell_fallback(request)) << "solve(input) is a matter of the language's own cell";
}

}  // namespace
}  // namespace glovebox::mcp

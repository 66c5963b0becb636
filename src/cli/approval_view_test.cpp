#include "cli/approval_view.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "contract/limits.h"

namespace glovebox::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string shown(std::string_view request,
                  std::string_view rest = R"("cut":[],"redacted":{"rules":{},"places":0,"bytes":0})") {
  const auto text = approval_text(fmt::format(
      R"({{"id":"appr_1","state":"pending","asked_by":"key_1","detail":{{"rules":["pid"],"decision":{{"findings":[)"
      R"({{"rule":"pid","verdict":"ask","subject":"call of os.getpid","file":null,"line":3,"column":7,"reason":"why"}},)"
      R"({{"rule":"pid","verdict":"ask","subject":"call","file":"lib/a.py","line":1,"column":2,"reason":"why"}}],)"
      R"("findings_left_out":2}},"request":{},{}}}}})",
      request, rest));
  EXPECT_TRUE(text) << text.error().message;
  return text.value_or("");
}

constexpr const char* kRequest =
    R"({"language":"python","code":"a\nb","code_bytes":3,"code_sha256":"c0de","args":["--all","x\u001by"],)"
    R"("stdin":{"bytes":7,"sha256":"57d1"},"input":null,"files":[{"path":"lib/a.py","bytes":9,"sha256":"f11e"},)"
    R"({"path":"big","bytes":null,"sha256":"b10b"}],"env":{"MODE":"fast"},)"
    R"j("expect":{"cross_check":{"code":"import os\nos.fork()"},"invariants":["1 < 2"]},)j"
    R"("network":["example.org:443"]})";

TEST(ApprovalView, ShowsEverythingThatDecides) {
  const std::string text = shown(kRequest);
  for (const char* part :
       {"asked_by     key_1", "ask[pid] call of os.getpid at program:3:7", "call at lib/a.py:1:2", "2 findings more",
        "python, 3 bytes, sha256 c0de", "    1 | a\n    2 | b\n", "arg        --all", "arg        x\\x1by",
        "env        MODE=fast", "stdin      7 bytes, sha256 57d1", "file       lib/a.py  9 bytes, sha256 f11e",
        "file       big  a stored blob, sha256 b10b", "network    example.org:443",
        "expect.cross_check, a second program in the same language:\n    1 | import os\n    2 | os.fork()",
        R"("invariants":["1 < 2"])"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, AllOf(Not(HasSubstr("CUT")), Not(HasSubstr("HIDDEN"))));
}

TEST(ApprovalView, SaysLoudlyWhatIsMissing) {
  const std::string text =
      shown(kRequest, R"("cut":["code","env"],"redacted":{"rules":{"aws_key":2,"jwt":1},"places":3,"bytes":512})");
  EXPECT_THAT(text, HasSubstr("!! CUT: code is longer than what is kept. This cannot be approved."));
  EXPECT_THAT(text, HasSubstr("!! CUT: env "));
  EXPECT_THAT(text, HasSubstr("!! HIDDEN: 3 places, 512 bytes, look like secrets and are not shown: aws_key 2 jwt 1."));
  EXPECT_LT(text.find("!! CUT"), text.find("ask[pid]")) << "before everything else";
}

TEST(ApprovalView, ShowsLimitsThatAreNotTheUsualOnes) {
  const contract::Limits usual;
  const std::string text = shown(fmt::format(R"({{"language":"python","code":"","limits":{{"wall_ms":{},)"
                                             R"("memory_bytes":17179869184}}}})",
                                             usual.wall_ms));
  EXPECT_THAT(text, HasSubstr(fmt::format("limit      memory_bytes 17179869184 (usually {})", usual.memory_bytes)));
  EXPECT_THAT(text, Not(HasSubstr("wall_ms")));
}

TEST(ApprovalView, WhatIsExpectedMayStandDeep) {
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  const std::string approval = fmt::format(R"({{"state":"approved","detail":{{"request":{{"expect":{}}}}}}})", deep);
  EXPECT_FALSE(contract::parse_json(approval, {})) << "deeper than what is usually parsed";
  EXPECT_TRUE(contract::parse_json(approval, approval_json()));
}

TEST(ApprovalView, NoLineIsCut) {
  const std::string line = std::string(5000, ' ') + "import os";
  EXPECT_THAT(shown(fmt::format(R"({{"language":"python","code":"{}"}})", line)), HasSubstr(line));
}

}  // namespace
}  // namespace glovebox::cli

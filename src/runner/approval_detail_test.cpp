#include "runner/approval_detail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.h"

namespace glovebox::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kSecret = "correct horse battery staple";

std::string detail_of(const contract::RunRequest& request) {
  const auto redactor = redaction::Redactor::create({}, {kSecret});
  EXPECT_TRUE(redactor) << redactor.error().message;
  return approval_detail(request, policy::Decision(), *redactor);
}

contract::RunRequest request() {
  contract::RunRequest request;
  request.language = "python";
  request.code = "print(1)";
  request.args = {"--all"};
  request.env = {{"MODE", "fast"}};
  request.standard_input = "data";
  request.input_json = "[1]";
  request.files.push_back({*base::RelPath::parse("a.py"), std::string("x = 1")});
  request.files.push_back({*base::RelPath::parse("b"), contract::BlobRef{std::string(64, 'b')}});
  request.expect_json = R"j({"cross_check":{"code":"print(2)"}})j";
  return request;
}

TEST(ApprovalDetail, HasEverythingThatDecides) {
  const std::string detail = detail_of(request());
  const std::vector<std::string> parts = {
      R"j("code":"print(1)","code_bytes":8,"code_sha256":")j" + base::sha256_hex("print(1)"),
      R"("args":["--all"])",
      R"("env":{"MODE":"fast"})",
      R"("stdin":{"bytes":4,"sha256":")" + base::sha256_hex("data"),
      R"("input":{"bytes":3,"sha256":")" + base::sha256_hex("[1]"),
      R"({"path":"a.py","bytes":5,"sha256":")" + base::sha256_hex("x = 1") + R"(","text":"x = 1"})",
      R"({"path":"b","bytes":null,"sha256":")" + std::string(64, 'b') + R"(","text":null})",
      R"j("expect":{"cross_check":{"code":"print(2)"}})j",
      R"("redacted":{"rules":{},"places":0,"bytes":0})"};
  for (const std::string& part : parts) {
    EXPECT_THAT(detail, HasSubstr(part));
  }
  EXPECT_THAT(cut_parts(detail), IsEmpty());
}

TEST(ApprovalDetail, KeepsTheLargestProgramsOfTheBuiltInProfilesWhole) {
  contract::RunRequest large = request();
  large.code = std::string(256U << 10U, '#');
  EXPECT_THAT(cut_parts(detail_of(large)), IsEmpty());
  EXPECT_THAT(detail_of(large), HasSubstr(large.code));
}

TEST(ApprovalDetail, NamesWhatIsCut) {
  contract::RunRequest large = request();
  const std::string long_text(3U << 20U, '#');
  large.code = long_text;
  large.args = {"short", long_text, "behind"};
  large.files.push_back({*base::RelPath::parse("long.py"), long_text});
  large.files.push_back({*base::RelPath::parse("data.csv"), long_text});
  large.env["LONG"] = long_text;
  large.expect_json = R"({"cross_check":{"code":")" + long_text + "\"}}";
  EXPECT_THAT(cut_parts(detail_of(large)), ElementsAre("code", "args", "files", "env", "expect"));
}

TEST(ApprovalDetail, WhatCannotBeReadShowsNothing) {
  for (const char* text : {"", "[]", "{}", R"({"cut":7})", R"({"rules":[]})"}) {
    EXPECT_THAT(cut_parts(text), ElementsAre("everything")) << text;
  }
}

TEST(ApprovalDetail, TellsHowMuchRedactionTookOut) {
  contract::RunRequest secret = request();
  secret.code = std::string("key = '") + kSecret + "'\nother = '" + kSecret + "'";
  const std::string detail = detail_of(secret);
  EXPECT_THAT(detail, Not(HasSubstr(kSecret)));
  EXPECT_THAT(detail, HasSubstr(R"("places":2,"bytes":)" + std::to_string(2 * std::string(kSecret).size())));
}

}  // namespace
}  // namespace glovebox::runner

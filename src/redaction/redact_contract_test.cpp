#include <gmock/gmock.h>

#include "base/sha256.h"
#include "contract/json_parse.h"
#include "redaction/test_support.h"

namespace glovebox::redaction {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(RedactRequest, EveryFieldThatCanHoldASecretIsRedacted) {
  const std::string token = made("ghp_@{base62:36}");
  contract::RunRequest request;
  request.code = "print('" + token + "')";
  request.standard_input = token;
  request.args = {"--verbose", "--password", "tr0ub4dor", "--token=" + token, "plain"};
  request.env = {{"DB_PASSWORD", "correcthorse"}, {"HOME", "/tmp"}, {"PATH", "/usr/bin:/bin"}, {"USE_TOKEN", "true"}};
  request.files.push_back({base::RelPath::parse("notes.txt").value(), token});
  request.files.push_back({base::RelPath::parse("blob.bin").value(), contract::BlobRef{std::string(64, 'a')}});
  request.input_json = "{\"t\":\"" + token + "\"}";
  request.expect_json = "{\"const\":\"" + token + "\"}";
  const auto counts = default_redactor().redact(request);
  const std::string notice = "[redacted:github_token]";
  EXPECT_EQ(request.code, "print('" + notice + "')");
  EXPECT_EQ(request.standard_input, notice);
  EXPECT_THAT(request.args,
              ElementsAre("--verbose", "--password", "[redacted:password]", "--token=" + notice, "plain"));
  EXPECT_EQ(request.env.at("DB_PASSWORD"), "[redacted:password]");
  EXPECT_EQ(request.env.at("HOME"), "/tmp");
  EXPECT_EQ(request.env.at("PATH"), "/usr/bin:/bin");
  EXPECT_EQ(request.env.at("USE_TOKEN"), "true");
  EXPECT_EQ(std::get<std::string>(request.files[0].content), notice);
  EXPECT_EQ(request.input_json, "{\"t\":\"" + notice + "\"}");
  EXPECT_EQ(request.expect_json, "{\"const\":\"" + notice + "\"}");
  EXPECT_THAT(counts, ElementsAre(Pair("github_token", 6), Pair("password", 2)));
}

TEST(RedactResult, EveryFieldThatCanHoldASecretIsRedacted) {
  const std::string token = made("ghp_@{base62:36}");
  contract::RunResult result;
  result.standard_output = "out " + token;
  result.standard_error = "err " + token;
  result.stdout_bytes = result.standard_output.size();
  result.error = contract::RunError{};
  result.error->message = "bad credentials: " + token;
  result.error->traceback = "line 1: " + token;
  result.error->hint = token;
  contract::Artifact artifact;
  artifact.content = "k," + token + "\n";
  artifact.bytes = artifact.content.size();
  artifact.sha256 = base::sha256_hex(artifact.content);
  result.artifacts = {artifact};
  result.results = {{"value", "application/json", "[\"" + token + "\"]"}};
  result.denials = {{"connect " + token, token, "seccomp", token, 1}};
  result.validation.failures = {"not equal: " + token};
  result.validation.checks = {{"expect.cross_check", false, "not equal: " + token}};
  const auto counts = default_redactor().redact(result);
  const std::string notice = "[redacted:github_token]";
  EXPECT_THAT(counts, ElementsAre(Pair("github_token", 12)));
  EXPECT_EQ(result.standard_output, "out " + notice);
  EXPECT_EQ(result.stdout_bytes, 4 + token.size());
  EXPECT_EQ(result.artifacts[0].content, "k," + notice + "\n");
  EXPECT_EQ(result.artifacts[0].bytes, artifact.bytes);
  EXPECT_EQ(result.artifacts[0].sha256, artifact.sha256);
  EXPECT_EQ(result.results[0].json, "[\"" + notice + "\"]");
}

TEST(RedactJson, KeysNameTheirValues) {
  const auto result = default_redactor().redact_json(R"({"user":"joe","password":"tr0ub4dor","n":[1,2.50,null]})");
  EXPECT_EQ(result.text, R"({"user":"joe","password":"[redacted:password]","n":[1,2.50,null]})");
}

TEST(RedactJson, EscapesHideNothingAndStayWhole) {
  const std::string token = made("ghp_@{base62:36}");
  EXPECT_EQ(default_redactor().redact_json("[\"\\u0067" + token.substr(1) + "\"]").text,
            "[\"[redacted:github_token]\"]");
  EXPECT_EQ(default_redactor().redact_json("[\"a\\n" + token + "\\\\\"]").text,
            "[\"a\\n[redacted:github_token]\\\\\"]");
}

TEST(RedactJson, TwoKeysThatAreSecretsStayTwoKeys) {
  const auto result = default_redactor().redact_json(made("{\"ghp_@{base62:36}\":1,\"ghp_@{base62:36}\":2}"));
  EXPECT_EQ(result.text, "{\"[redacted:github_token]\":1,\"[redacted:github_token]_2\":2}");
  EXPECT_TRUE(contract::compact_json(result.text));
  EXPECT_EQ(default_redactor().redact_json(result.text).text, result.text);
}

TEST(RedactJson, ANumberThatTheOperatorNamedBecomesANotice) {
  const auto redactor = Redactor::create({}, {"31415926535"});
  EXPECT_EQ(redactor->redact_json("{\"a\":31415926535,\"b\":[31415926535]}").text,
            "{\"a\":\"[redacted:configured_value]\",\"b\":[\"[redacted:configured_value]\"]}");
}

TEST(RedactJson, TextThatIsNoJsonIsText) {
  EXPECT_EQ(default_redactor().redact_json(made("{ghp_@{base62:36}")).text, "{[redacted:github_token]");
  EXPECT_EQ(default_redactor().redact_json("").text, "");
}

}  // namespace
}  // namespace glovebox::redaction

#include "contract/request_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "contract/limit_table.h"

namespace glovebox::contract {
namespace {

using testing::HasSubstr;

std::string broken_field(const RunRequest& request) {
  const auto status = check_run_request(request);
  return status ? "(none)" : status.error().field;
}

InputFile file(std::string_view path) { return {base::RelPath::parse(path).value(), std::string()}; }

TEST(RequestRules, TheDefaultRequestIsValid) { EXPECT_EQ(broken_field(RunRequest{}), "(none)"); }

TEST(RequestRules, EveryDefaultLimitLiesInItsRange) {
  const Limits defaults;
  for (const LimitField& limit : kLimitTable) {
    EXPECT_GE(defaults.*limit.member, limit.least) << limit.name;
    EXPECT_LE(defaults.*limit.member, limit.most) << limit.name;
  }
}

TEST(RequestRules, EveryLimitIsHeldToBothEndsOfItsRange) {
  for (const LimitField& limit : kLimitTable) {
    RunRequest request;
    request.limits.*limit.member = limit.most + 1;
    EXPECT_EQ(broken_field(request), "limits." + std::string(limit.name));
    request.limits.*limit.member = limit.most;
    EXPECT_EQ(broken_field(request), "(none)");
    if (limit.least > 0) {
      request.limits.*limit.member = limit.least - 1;
      EXPECT_EQ(broken_field(request), "limits." + std::string(limit.name));
    }
  }
}

TEST(RequestRules, ArgumentsAreBoundedInNumberAndBytes) {
  RunRequest request;
  request.args.assign(kMaxArgs, "x");
  EXPECT_EQ(broken_field(request), "(none)");
  request.args.emplace_back("x");
  EXPECT_EQ(broken_field(request), "args");
  request.args = {std::string(kMaxArgsBytes - 1, 'x')};
  EXPECT_EQ(broken_field(request), "(none)");
  request.args = {std::string(kMaxArgsBytes, 'x')};
  EXPECT_EQ(broken_field(request), "args");
}

TEST(RequestRules, EnvironmentIsBoundedInNumberAndBytes) {
  RunRequest request;
  for (std::size_t index = 0; index < kMaxEnv; ++index) {
    request.env["N" + std::to_string(index)] = "";
  }
  EXPECT_EQ(broken_field(request), "(none)");
  request.env["ONE_MORE"] = "";
  EXPECT_EQ(broken_field(request), "env");
  request.env = {{"BIG", std::string(kMaxEnvBytes, 'x')}};
  EXPECT_EQ(broken_field(request), "env");
}

TEST(RequestRules, LoaderVariablesAreRefusedWithAReason) {
  RunRequest request;
  request.env["LD_AUDIT"] = "x";
  const auto status = check_run_request(request);
  ASSERT_FALSE(status.has_value());
  EXPECT_THAT(status.error().message, HasSubstr("dynamic loader"));
  request.env = {{"LDFLAGS", "x"}, {"_", ""}, {"a1", ""}};
  EXPECT_EQ(broken_field(request), "(none)");
  for (const char* name : {"", "1A", "A-B", "A=B", "Ä"}) {
    request.env = {{name, ""}};
    EXPECT_THAT(broken_field(request), HasSubstr("env")) << name;
  }
}

TEST(RequestRules, FilesMustFitIntoOneTree) {
  RunRequest request;
  request.files = {file("a/b/c"), file("a/b.txt"), file("a.b"), file("ab")};
  EXPECT_EQ(broken_field(request), "(none)");
  request.files = {file("a"), file("a/b/c")};
  EXPECT_EQ(broken_field(request), "files[1].path");
  request.files = {file("a/b/c"), file("x"), file("a/b")};
  EXPECT_EQ(broken_field(request), "files[2].path");
  request.files = {file("a"), file("a")};
  EXPECT_EQ(broken_field(request), "files[1].path");
}

TEST(RequestRules, ABlobIsNamedByALowerCaseDigest) {
  RunRequest request;
  request.files = {{base::RelPath::parse("a").value(), BlobRef{std::string(64, 'a')}}};
  EXPECT_EQ(broken_field(request), "(none)");
  request.files = {{base::RelPath::parse("a").value(), BlobRef{std::string(64, 'A')}}};
  EXPECT_EQ(broken_field(request), "files[0].blob");
}

TEST(RequestRules, JsonTextsOfARequestBuiltInCodeAreChecked) {
  RunRequest request;
  request.input_json = "{\"a\":[1,}";
  EXPECT_EQ(broken_field(request), "input.a[1]");
  request.input_json = "[1]";
  request.expect_json = R"({"artifact":[]})";
  EXPECT_EQ(broken_field(request), "expect.artifact");
  request.expect_json = R"({"artifacts":[{"path":"a.csv","min_rows":-1}]})";
  EXPECT_EQ(broken_field(request), "expect.artifacts[0].min_rows");
  request.expect_json = R"({"stdout_json_schema":7})";
  EXPECT_EQ(broken_field(request), "expect.stdout_json_schema");
  request.expect_json = R"({"invariants":{}})";
  EXPECT_EQ(broken_field(request), "expect.invariants");
  request.expect_json = R"({"artifacts":[{"path":"../a"}]})";
  EXPECT_EQ(broken_field(request), "expect.artifacts[0].path");
  request.expect_json = R"({"artifacts":[{"path":"a","format":"CSV"}]})";
  EXPECT_EQ(broken_field(request), "expect.artifacts[0].format");
}

TEST(RequestRules, NamesAndKeysHaveASyntax) {
  RunRequest request;
  for (const char* language : {"python", "c++", "objective-c", "x_1"}) {
    request.language = language;
    EXPECT_EQ(broken_field(request), "(none)") << language;
  }
  for (const std::string& language :
       {std::string(), std::string("3d"), std::string("a b"), std::string("a/b"), std::string(33, 'a')}) {
    request.language = language;
    EXPECT_EQ(broken_field(request), "language") << language;
  }
  request.language = "python";
  request.idempotency_key = std::string(128, '~');
  EXPECT_EQ(broken_field(request), "(none)");
  request.idempotency_key = std::string(129, '~');
  EXPECT_EQ(broken_field(request), "idempotency_key");
}

TEST(RequestRules, NetworkAndArtifactListsAreBounded) {
  RunRequest request;
  request.network.allow.assign(kMaxNetworkEntries + 1, "example.org:443");
  EXPECT_EQ(broken_field(request), "network.allow");
  request.network.allow.clear();
  request.artifacts.assign(kMaxArtifactPatterns + 1, "*");
  EXPECT_EQ(broken_field(request), "artifacts");
}

TEST(HostAndPort, AcceptsNamesAndAddresses) {
  for (const char* text :
       {"example.org:443", "localhost:1", "a-b.c1:65535", "192.0.2.7:80", "[::1]:80", "[2001:db8::1]:53"}) {
    EXPECT_TRUE(is_host_and_port(text)) << text;
  }
}

TEST(HostAndPort, RefusesEverythingElse) {
  for (const char* text : {"",
                           ":",
                           "example.org",
                           "example.org:",
                           ":443",
                           "example.org:0",
                           "example.org:65536",
                           "example.org:+1",
                           "example.org:080",
                           "example.org:443 ",
                           " example.org:443",
                           "exa mple.org:1",
                           "-a.org:1",
                           "a-.org:1",
                           "a..b:1",
                           ".a:1",
                           "a.:1",
                           "*.example.org:443",
                           "http://example.org:80",
                           "user@example.org:80",
                           "::1:80",
                           "[::1:80",
                           "[]:80",
                           "[example.org]:80",
                           "256.1.1.1:80",
                           "127.1:80",
                           "1:80",
                           "example.org:99999999999",
                           "a_b:1",
                           "[fe80::1%lo]:1"}) {
    EXPECT_FALSE(is_host_and_port(text)) << text;
  }
  EXPECT_FALSE(is_host_and_port(std::string_view("a\0b:80", 6)));
  EXPECT_FALSE(is_host_and_port(std::string(254, 'a') + ":80"));
}

}  // namespace
}  // namespace glovebox::contract

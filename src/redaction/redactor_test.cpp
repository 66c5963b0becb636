#include "redaction/redactor.h"

#include <gmock/gmock.h>

#include <thread>

#include "base/utf8.h"
#include "contract/base64.h"
#include "redaction/test_support.h"

namespace glovebox::redaction {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

Redactor with_values(std::vector<std::string> values) {
  return Redactor::create(default_redaction_rules().value(), std::move(values)).value();
}

TEST(Redactor, SaysWhichRuleFoundWhatAndHowOften) {
  const auto result = default_redactor().redact(made("a ghp_@{base62:36} b ghs_@{base62:36} c AKIA@{base32:16}."));
  EXPECT_EQ(result.text, "a [redacted:github_token] b [redacted:github_token] c [redacted:aws_access_key_id].");
  EXPECT_THAT(result.counts, ElementsAre(Pair("aws_access_key_id", 1), Pair("github_token", 2)));
}

TEST(Redactor, LeavesTextWithoutSecretsAsItIs) {
  const std::string text = "for key, value in tokens.items():\n    print(key, value)\n";
  const auto result = default_redactor().redact(text);
  EXPECT_EQ(result.text, text);
  EXPECT_THAT(result.counts, IsEmpty());
  EXPECT_EQ(redacted(""), "");
  EXPECT_EQ(redacted("\n"), "\n");
}

TEST(Redactor, TheSpecificRuleNamesWhatAGeneralOneAlsoFinds) {
  EXPECT_EQ(redacted(made("api_key = \"sk-ant-api03-@{url:95}\"")), "api_key = \"[redacted:anthropic_key]\"");
  EXPECT_EQ(redacted(made("Authorization: Bearer ghp_@{base62:36}")), "Authorization: Bearer [redacted:github_token]");
}

TEST(Redactor, AnEscapeBeforeASecretDoesNotHideIt) {
  for (const char* before : {"\\n", "%20", "%3D", "\\u003d", "\x1b[0m", "\x1b[1;32m", "=", "\""}) {
    EXPECT_EQ(redacted(before + made("ghp_@{base62:36}")), std::string(before) + "[redacted:github_token]");
  }
  EXPECT_EQ(redacted(made("xghp_@{base62:36}")), made("xghp_@{base62:36}"));
}

TEST(Redactor, WhatIsLeftOfASecretAtTheCutGoesToo) {
  EXPECT_EQ(redacted("key: sk-ant-api03-Ab3"), "key: [redacted:anthropic_key]");
  EXPECT_EQ(redacted("key: ghp_a8Fz\n[\xe2\x80\xa6 512 bytes omitted \xe2\x80\xa6]\nrest"),
            "key: [redacted:github_token]\n[\xe2\x80\xa6 512 bytes omitted \xe2\x80\xa6]\nrest");
  const std::string tail = made("@{base64:30}\n@{base64:64}\n-----END @{}PRIVATE KEY-----\nbye");
  EXPECT_EQ(redacted("[\xe2\x80\xa6 9 bytes omitted \xe2\x80\xa6]\n" + tail),
            "[\xe2\x80\xa6 9 bytes omitted \xe2\x80\xa6]\n[redacted:private_key_end]\nbye");
  EXPECT_EQ(redacted(made("-----BEGIN @{}RSA PRIVATE KEY-----\n@{base64:64}\n@{base64:9}")), "[redacted:private_key]");
}

TEST(Redactor, ConfiguredValuesGoInEveryForm) {
  const std::string value = "kitchen sink/42";
  const Redactor redactor = with_values({value});
  for (const std::string& text :
       {value, std::string("kitchen%20sink%2F42"), std::string("kitchen+sink%2f42"), std::string("kitchen sink\\/42"),
        contract::encode_base64(value), std::string("6b69746368656e2073696e6b2f3432")}) {
    EXPECT_THAT(redactor.redact("<" + text + ">").text, testing::StartsWith("<[redacted:configured_value]")) << text;
  }
  const std::string wrapped = contract::encode_base64("user:" + value + "!");
  EXPECT_THAT(redactor.redact(wrapped).text, HasSubstr("[redacted:configured_value]"));
  EXPECT_EQ(redactor.redact("kitchen sink").text, "[redacted:configured_value]");
  EXPECT_EQ(redactor.redact("kitchen table").text, "kitchen table");
  EXPECT_EQ(redactor.redact("x bytes omitted \xe2\x80\xa6]\nn sink/42 and more").text,
            "x bytes omitted \xe2\x80\xa6]\n[redacted:configured_value] and more");
}

TEST(Redactor, RefusesConfiguredValuesThatWouldHitWords) {
  const auto refused = Redactor::create({}, {"long enough", "short"});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("value 2"));
  EXPECT_THAT(refused.error().message, Not(HasSubstr("short")));
  EXPECT_FALSE(Redactor::create({}, {std::string(9000, 'x')}));
  EXPECT_FALSE(Redactor::create({}, std::vector<std::string>(1001, "long enough")));
}

TEST(Redactor, AValueThatStandsInANoticeDoesNotBreakIt) {
  const Redactor redactor = with_values({"redacted", "github"});
  const auto once = redactor.redact(made("ghp_@{base62:36} redacted github")).text;
  EXPECT_EQ(once, "[redacted:github_token] [redacted:configured_value] [redacted:configured_value]");
  EXPECT_EQ(redactor.redact(once).text, once);
}

TEST(Redactor, ANoticeShieldsNothing) {
  EXPECT_EQ(redacted(made("[redacted:github_token]ghp_@{base62:36}")),
            "[redacted:github_token][redacted:github_token]");
  EXPECT_EQ(redacted(made("[redacted:nonsense ghp_@{base62:36}]")), "[redacted:nonsense [redacted:github_token]]");
}

TEST(Redactor, ATextMadeToNeedEndlessPassesGoesWhole) {
  // Each secret counts only once the one before it is a notice.
  const auto rules = parse_redaction_rules(R"([[rule]]
id = "domino"
reason = "falls when its neighbour fell"
words = ["dom"]
pattern = 'dom[0-9]-'
min_entropy = 0
inside_words = true
not_after = ["-"]
match = ["dom1-"]
no_match = ["-dom1-"]
)",
                                           "domino.toml");
  ASSERT_TRUE(rules) << rules.error().message;
  const Redactor redactor = Redactor::create(*rules, {}).value();
  EXPECT_EQ(redactor.redact("dom1-dom2-dom3-").text, "[redacted:domino][redacted:domino][redacted:domino]");
  std::string text;
  for (int index = 0; index < 100; ++index) {
    text += "dom5-";
  }
  EXPECT_EQ(redactor.redact(text).text, "[redacted:everything]");
  EXPECT_EQ(redactor.redact("[redacted:everything]").text, "[redacted:everything]");
}

TEST(Redactor, BytesThatAreNotTextAreBytes) {
  std::string binary("\x00\x01\xff\xfe", 4);
  binary += made("ghp_@{base62:36}");
  binary += std::string("\x00tail", 5);
  EXPECT_EQ(redacted(binary), std::string("\x00\x01\xff\xfe[redacted:github_token]\x00tail", 32));
  // Rules about names need people's writing, which random bytes imitate by chance.
  const std::string named = std::string("\0", 1) + made("password=@{base62:12}");
  EXPECT_EQ(redacted(named), named);
}

TEST(Redactor, ValidTextStaysValid) {
  const std::string text =
      "\xc3\xa4password=\"\xc3\xb6\xe2\x82\xac"
      "12345!\xf0\x9f\x98\x80\" \xc3\xbc";
  ASSERT_TRUE(base::is_valid_utf8(text));
  const std::string stored = redacted(text);
  EXPECT_TRUE(base::is_valid_utf8(stored)) << stored;
  EXPECT_EQ(stored, "\xc3\xa4password=\"[redacted:password]\" \xc3\xbc");
}

TEST(Redactor, OneRedactorServesManyThreads) {
  const Redactor redactor = with_values({"a value to hide"});
  const std::string text = made("x ghp_@{base62:36} y a value to hide z password = 'hunter2!!'");
  std::vector<std::thread> threads;
  for (int index = 0; index < 4; ++index) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < 200; ++turn) {
        EXPECT_EQ(redactor.redact(text).counts.size(), 3U);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace
}  // namespace glovebox::redaction

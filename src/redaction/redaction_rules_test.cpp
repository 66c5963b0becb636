#include <gmock/gmock.h>

#include "redaction/test_support.h"

namespace glovebox::redaction {
namespace {

constexpr std::string_view kGood = R"([[rule]]
id = "house_key"
reason = "opens the house"
words = ["hk[0-2]_"]
pattern = 'hk[0-2]_[a-z]{8,}'
match = ["hk1_@{lower:10}"]
no_match = ["hk1_short", "hk3_@{lower:10}"]
)";

std::string with(std::string_view from, std::string_view to) {
  std::string text(kGood);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string complaint(const std::string& text) {
  const auto rules = parse_redaction_rules(text, "own.toml");
  return rules ? "accepted" : rules.error().message;
}

TEST(RedactionRules, AClassInAWordStandsForEachOfItsLetters) {
  const auto rules = parse_redaction_rules(kGood, "own.toml");
  ASSERT_TRUE(rules) << rules.error().message;
  EXPECT_THAT(rules->rules.at(0).words, testing::ElementsAre("hk0_", "hk1_", "hk2_"));
}

TEST(RedactionRules, AnExampleThatTheRuleDoesNotMatchIsRefusedWithItsPlace) {
  EXPECT_EQ(complaint(with("@{lower:10}", "short")), "own.toml:6:10: the rule house_key does not match this example");
  EXPECT_EQ(complaint(with("hk1_short", "hk1_@{lower:9}")),
            "own.toml:7:13: the rule house_key must not match this example");
}

TEST(RedactionRules, MistakesAreRefusedWithTheirPlace) {
  EXPECT_THAT(complaint(with("[a-z]{8,}", "[a-z")), testing::StartsWith("own.toml:5:11: the pattern of"));
  EXPECT_THAT(complaint(with("house_key", "House Key")), testing::StartsWith("own.toml:2:6: 'id'"));
  EXPECT_THAT(complaint(with("hk[0-2]_\"", "hk\"")), testing::StartsWith("own.toml:4:10: a word"));
  EXPECT_THAT(complaint(with("hk[0-2]_\"", "hk[0-\"")), testing::StartsWith("own.toml:4:10: a word"));
  EXPECT_THAT(complaint(with("reason", "raison")), testing::HasSubstr("unknown key 'raison'"));
  EXPECT_THAT(complaint(with("@{lower:10}", "@{lower:ten}")),
              testing::HasSubstr("own.toml:6:10: an example's template"));
  EXPECT_THAT(complaint(with("id =", "shape = \"odd\"\nid =")), testing::StartsWith("own.toml:2:9: 'shape'"));
  EXPECT_THAT(complaint(with("id =", "min_entropy = 9\nid =")), testing::StartsWith("own.toml:2:15: 'min_entropy'"));
  EXPECT_THAT(complaint(std::string(kGood) + std::string(kGood)), testing::HasSubstr("the id house_key is taken"));
  EXPECT_THAT(complaint("rule = 3"), testing::StartsWith("own.toml:1:8:"));
  EXPECT_THAT(complaint("[[rule]"), testing::StartsWith("own.toml:1:"));
  EXPECT_THAT(complaint("# \xc3\xa4"), testing::StartsWith("own.toml:1:3: only ASCII"));
}

TEST(RedactionRules, AnOperatorsRuleComesFirstAndReplacesAnEqualId) {
  auto own = parse_redaction_rules(kGood, "own.toml").value();
  own.rules.push_back(own.rules.front());
  own.rules.back().id = "github_token";
  const auto defaults = default_redaction_rules().value();
  const auto merged = merge_rules(defaults, own);
  EXPECT_EQ(merged.rules.size(), defaults.rules.size() + 1);
  EXPECT_EQ(merged.rules.front().id, "house_key");
  const auto redactor = Redactor::create(merged, {});
  EXPECT_EQ(redactor->redact("hk2_abcdefghij").text, "[redacted:house_key]");
  const std::string token = made("ghp_@{base62:36}");
  EXPECT_EQ(redactor->redact(token).text, token);
}

TEST(RedactionRules, ExamplesAreMadeUpTheSameWayEachTime) {
  EXPECT_EQ(expand_example("a@{}b"), "ab");
  EXPECT_EQ(expand_example("@{hex:8}"), expand_example("@{hex:8}"));
  EXPECT_EQ(expand_example("@{digits:20}")->size(), 20U);
  for (const char* bad :
       {"@{", "@{hex}", "@{hex:}", "@{hex:-1}", "@{hex:99999999999999999999}", "@{odd:3}", "@{hex:70000}"}) {
    EXPECT_FALSE(expand_example(bad)) << bad;
  }
}

}  // namespace
}  // namespace glovebox::redaction

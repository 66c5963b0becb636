// profiles/redaction/default.toml does what it says.
#include <set>

#include "redaction/embedded.h"
#include "redaction/test_support.h"

namespace glovebox::redaction {
namespace {

TEST(DefaultRules, EveryRuleMatchesItsExamplesAndNoneOfItsCounterexamples) {
  for (const base::EmbeddedFile& file : embedded_rule_files()) {
    const auto rules = parse_redaction_rules(file.text, file.path, RuleCheck::full);
    EXPECT_TRUE(rules) << rules.error().message;
  }
}

TEST(DefaultRules, TogetherTheyRedactEveryExample) {
  for (const Rule& rule : default_rules().rules) {
    for (const std::string& example : rule.match) {
      const Redacted result = default_redactor().redact(made(example));
      EXPECT_FALSE(result.counts.empty()) << rule.id << ": " << example;
    }
  }
}

TEST(DefaultRules, EveryRuleIsInTheCorpus) {
  std::set<std::string> seen;
  for (const Case& one : read_cases("corpus/secrets")) {
    seen.insert(one.rules.begin(), one.rules.end());
  }
  for (const Rule& rule : default_rules().rules) {
    EXPECT_TRUE(seen.contains(rule.id)) << rule.id;
  }
}

TEST(DefaultRules, TheFileHoldsNothingThatItWouldRedact) {
  for (const base::EmbeddedFile& file : embedded_rule_files()) {
    // The templates are what keeps it clean; a shell's are known to the rules.
    std::string text(file.text);
    for (std::size_t at = text.find("@{"); at != std::string::npos; at = text.find("@{", at)) {
      text[at] = '$';
    }
    for (const auto& [id, times] : default_redactor().redact(text).counts) {
      ADD_FAILURE() << file.path << " holds what " << id << " finds, " << times << " times";
    }
  }
}

}  // namespace
}  // namespace glovebox::redaction

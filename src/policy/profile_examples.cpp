#include "policy/profile_examples.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "policy/rule_index.h"

namespace glovebox::policy {
namespace {

constexpr std::size_t kShownBytes = 60;

std::string language_of(const Profile& profile, const Rule& rule) {
  if (!rule.language.empty()) {
    return rule.language;
  }
  return profile.languages.empty() ? "python" : profile.languages.front();
}

base::Status refuse(const Profile& profile, const std::string& key, const std::string& why) {
  return base::fail(base::ErrorCode::invalid_request, where(profile, key) + why);
}

}  // namespace

base::Status check_examples(const Profile& profile) {
  for (const Rule& rule : profile.rules) {
    if (rule.match.empty() && rule.no_match.empty()) {
      continue;  // of a list, which has none
    }
    const std::string language = language_of(profile, rule);
    const auto syntax = syntax_of(language);
    if (!syntax) {
      return refuse(profile, "rule." + rule.id,
                    fmt::format("the rule {} is about {}, which nobody can read here", rule.id, language));
    }
    RuleIndex index;
    index.add(rule, 0);
    const auto finds = [&](const std::string& program) {
      const ProgramFacts read = read_program(*syntax, program);
      std::vector<std::uint32_t> tags;
      return std::any_of(read.facts.begin(), read.facts.end(), [&](const Fact& fact) {
        index.find(fact, tags);
        return !tags.empty();
      });
    };
    for (const std::string& example : rule.match) {
      if (!finds(example)) {
        return refuse(
            profile, "rule." + rule.id + ".match",
            fmt::format("the rule {} does not match its example '{}'", rule.id, base::printable(example, kShownBytes)));
      }
    }
    for (const std::string& example : rule.no_match) {
      if (finds(example)) {
        return refuse(
            profile, "rule." + rule.id + ".no_match",
            fmt::format("the rule {} must not match its example '{}'", rule.id, base::printable(example, kShownBytes)));
      }
    }
  }
  return {};
}

}  // namespace glovebox::policy

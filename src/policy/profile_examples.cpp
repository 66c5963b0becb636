#include "policy/profile_examples.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "policy/name_examples.h"
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

// What a rule makes of programs, on its own.
class RuleOnTrial {
 public:
  explicit RuleOnTrial(const Rule& rule) { index_.add(rule, 0); }

  struct Outcome {
    bool found = false;
    std::string gap;
  };

  [[nodiscard]] Outcome read(Syntax syntax, std::string_view program) {
    const ProgramFacts read = read_program(syntax, program);
    const bool found = std::any_of(read.facts.begin(), read.facts.end(), [&](const Fact& fact) {
      index_.find(fact, numbers_);
      if (numbers_.empty() && syntax == Syntax::python && fact.kind != FactKind::import) {
        index_.find_module_of(fact.name, numbers_);
      }
      return !numbers_.empty();
    });
    return {found, read.gap};
  }

 private:
  RuleIndex index_;
  std::vector<std::uint32_t> numbers_;
};

base::Status check_rule(const Profile& profile, const Rule& rule) {
  const std::string language = language_of(profile, rule);
  const auto syntax = syntax_of(language);
  if (!syntax) {
    return refuse(profile, "rule." + rule.id,
                  fmt::format("the rule {} is about {}, which nobody can read here", rule.id, language));
  }
  RuleOnTrial trial(rule);
  const auto check = [&](const std::vector<std::string>& examples, std::string_view key, bool wanted) -> base::Status {
    for (const std::string& example : examples) {
      const std::string place = fmt::format("rule.{}.{}", rule.id, key);
      const std::string shown = base::printable(example, kShownBytes);
      const RuleOnTrial::Outcome outcome = trial.read(*syntax, example);
      if (!outcome.gap.empty()) {
        return refuse(profile, place,
                      fmt::format("an example of the rule {} cannot be read ({}): '{}'", rule.id, outcome.gap, shown));
      }
      if (outcome.found != wanted) {
        return refuse(profile, place,
                      fmt::format("the rule {} {} its example '{}'", rule.id,
                                  wanted ? "does not match" : "must not match", shown));
      }
    }
    return {};
  };
  TRY_STATUS(check(rule.match, "match", true));
  return check(rule.no_match, "no_match", false);
}

std::vector<Syntax> syntaxes_of(const Profile& profile) {
  std::vector<Syntax> result;
  for (const std::string& language : profile.languages) {
    if (const auto syntax = syntax_of(language); syntax) {
      result.push_back(*syntax);
    }
  }
  return profile.languages.empty() ? std::vector{Syntax::python, Syntax::javascript, Syntax::shell} : result;
}

// A name of a list: in one of the languages at least, a program that uses it is found, and one that uses a longer name
// is not.
base::Status check_listed_name(const Profile& profile, FactKind kind, const std::string& name, const std::string& key) {
  Rule rule;
  rule.names[static_cast<std::size_t>(kind)] = {name};
  RuleOnTrial trial(rule);
  for (const Syntax syntax : syntaxes_of(profile)) {
    const auto example = example_of(syntax, kind, name);
    if (!example || !trial.read(syntax, example->match).found) {
      continue;
    }
    if (example->no_match && trial.read(syntax, *example->no_match).found) {
      return refuse(profile, key, fmt::format("'{}' also matches a longer name", name));
    }
    return {};
  }
  return refuse(profile, key,
                fmt::format("'{}' matches no program in the profile's languages: what is used under this name "
                            "goes by another one, or it cannot be written",
                            name));
}

}  // namespace

base::Status check_examples(const Profile& profile) {
  for (const Rule& rule : profile.rules) {
    if (!rule.match.empty() || !rule.no_match.empty()) {
      TRY_STATUS(check_rule(profile, rule));
      continue;
    }
    // Of a list such as imports.forbid, whose rule is called imports_forbid.
    std::string list = rule.id;
    std::replace(list.begin(), list.end(), '_', '.');
    for (std::size_t kind = 0; kind < kFactKinds; ++kind) {
      for (std::size_t index = 0; index < rule.names[kind].size(); ++index) {
        TRY_STATUS(check_listed_name(profile, static_cast<FactKind>(kind), rule.names[kind][index],
                                     fmt::format("{}[{}]", list, index)));
      }
    }
  }
  return {};
}

}  // namespace glovebox::policy

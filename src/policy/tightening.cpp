#include "policy/tightening.h"

#include <fmt/format.h>

#include <algorithm>

#include "policy/effective_policy.h"

namespace glovebox::policy {
namespace {

base::Status refuse(const Profile& profile, const std::string& key, const std::string& what, const PolicyLayer& by) {
  return base::fail(base::make_error(base::ErrorCode::invalid_request,
                                     fmt::format("{}a workspace can only tighten: {} the profile {} ({})",
                                                 where(profile, key), what, by.profile->name, to_string(by.layer)))
                        .with_hint("remove the line, or ask whoever operates this host for a profile that allows it"));
}

bool says(const Profile& profile, const std::string& key) { return profile.places.contains(key); }

base::Status check_verdict(const Profile& profile, const std::string& key, Verdict own, Verdict theirs,
                           const PolicyLayer& by) {
  if (says(profile, key) && own < theirs) {
    return refuse(profile, key,
                  fmt::format("{} = \"{}\" is weaker than \"{}\" of", key, to_string(own), to_string(theirs)), by);
  }
  return {};
}

base::Status check_bound(const Profile& profile, const std::string& key, std::uint64_t own, std::uint64_t theirs,
                         const PolicyLayer& by) {
  if (says(profile, key) && theirs != 0 && own > theirs) {
    return refuse(profile, key, fmt::format("{} = {} is above {} of", key, own, theirs), by);
  }
  return {};
}

// What a layer says about a name, and about what lies below it.
Verdict verdict_of(const Profile& profile, const RuleIndex& index, FactKind kind, std::string_view pattern) {
  if (pattern.starts_with("*.")) {
    pattern.remove_prefix(2);
  }
  while (pattern.ends_with('*') || pattern.ends_with('.')) {
    pattern.remove_suffix(1);
  }
  Fact fact;
  fact.kind = kind;
  fact.name = pattern;
  std::vector<std::uint32_t> numbers;
  index.find(fact, numbers);
  Verdict verdict = numbers.empty() ? profile.otherwise[static_cast<std::size_t>(kind)].verdict : Verdict::allow;
  index.find_below(kind, pattern, numbers);
  for (const std::uint32_t number : numbers) {
    verdict = strictest(verdict, profile.rules[number].verdict);
  }
  return verdict;
}

base::Status check_allowed_names(const Profile& profile, const PolicyLayer& by) {
  RuleIndex index;
  for (std::size_t number = 0; number < by.profile->rules.size(); ++number) {
    index.add(by.profile->rules[number], static_cast<std::uint32_t>(number));
  }
  for (const Rule& rule : profile.rules) {
    for (const Rule& theirs : by.profile->rules) {
      if (rule.id == theirs.id && rule.verdict < theirs.verdict) {
        return refuse(profile, "rule." + rule.id,
                      fmt::format("the rule {} is weaker than the rule of the same name in", rule.id), by);
      }
    }
    for (std::size_t kind = 0; rule.verdict == Verdict::allow && kind < kFactKinds; ++kind) {
      for (std::size_t name = 0; name < rule.names[kind].size(); ++name) {
        const std::string& pattern = rule.names[kind][name];
        if (verdict_of(*by.profile, index, static_cast<FactKind>(kind), pattern) == Verdict::allow) {
          continue;
        }
        const std::string word(to_string(static_cast<FactKind>(kind)));
        const std::string in_rule = fmt::format("rule.{}.{}[{}]", rule.id, word, name);
        const std::string in_list = fmt::format("{}s.allow[{}]", word, name);
        return refuse(profile, says(profile, in_rule) ? in_rule : in_list,
                      fmt::format("it allows {}, which is not allowed by", pattern), by);
      }
    }
  }
  return {};
}

base::Status check_layer(const Profile& profile, const PolicyLayer& by) {
  const Profile& theirs = *by.profile;
  for (const FactKind kind : {FactKind::import, FactKind::call, FactKind::attribute, FactKind::dynamic}) {
    const auto index = static_cast<std::size_t>(kind);
    const std::string key = kind == FactKind::dynamic ? "dynamic" : std::string(to_string(kind)) + "s.otherwise";
    TRY_STATUS(check_verdict(profile, key, profile.otherwise[index].verdict, theirs.otherwise[index].verdict, by));
  }
  TRY_STATUS(check_verdict(profile, "unparsed", profile.unparsed, theirs.unparsed, by));
  TRY_STATUS(check_bound(profile, "program.max_bytes", profile.program.max_bytes, theirs.program.max_bytes, by));
  TRY_STATUS(check_bound(profile, "program.max_lines", profile.program.max_lines, theirs.program.max_lines, by));
  TRY_STATUS(check_bound(profile, "program.max_nesting", profile.program.max_nesting, theirs.program.max_nesting, by));
  for (const auto& [name, most] : profile.limits) {
    if (const auto bound = theirs.limits.find(name); bound != theirs.limits.end() && most > bound->second) {
      return refuse(profile, "limits." + name, fmt::format("limits.{} = {} is above {} of", name, most, bound->second),
                    by);
    }
  }
  if (says(profile, "network") && profile.network_allowed && !theirs.network_allowed) {
    return refuse(profile, "network", "network = \"allowed\" is weaker than \"none\" of", by);
  }
  if (says(profile, "isolation") && strength(profile.isolation) < strength(theirs.isolation)) {
    return refuse(profile, "isolation",
                  fmt::format("isolation = \"{}\" is weaker than \"{}\" of", contract::to_string(profile.isolation),
                              contract::to_string(theirs.isolation)),
                  by);
  }
  for (std::size_t index = 0; index < profile.languages.size(); ++index) {
    const auto& known = theirs.languages;
    if (!known.empty() && std::find(known.begin(), known.end(), profile.languages[index]) == known.end()) {
      return refuse(profile, fmt::format("languages[{}]", index),
                    fmt::format("it allows {}, which is not a language of", profile.languages[index]), by);
    }
  }
  return check_allowed_names(profile, by);
}

}  // namespace

base::Status refuse_loosening(const Profile& profile, const std::vector<PolicyLayer>& below) {
  for (const PolicyLayer& layer : below) {
    TRY_STATUS(check_layer(profile, layer));
  }
  return {};
}

}  // namespace glovebox::policy

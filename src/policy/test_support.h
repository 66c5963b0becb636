// Profiles and policies for tests, in a line each.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "policy/decision.h"

namespace glovebox::policy {

inline Profile parsed(const std::string& text, const std::string& name = "test") {
  auto profile = parse_profile(text, name + ".toml", name);
  EXPECT_TRUE(profile) << (profile ? "" : profile.error().message);
  return profile.value_or(Profile());
}

inline std::string complaint(const std::string& text, const std::string& name = "test") {
  const auto profile = parse_profile(text, name + ".toml", name);
  return profile ? "accepted" : profile.error().message;
}

inline PolicyLayer layer(Layer kind, Profile profile) {
  return {kind, std::make_shared<const Profile>(std::move(profile))};
}

inline EffectivePolicy policy_of(std::vector<PolicyLayer> layers) {
  auto policy = EffectivePolicy::combine("test", std::move(layers), "wall");
  EXPECT_TRUE(policy) << (policy ? "" : policy.error().message);
  return std::move(*policy);
}
inline EffectivePolicy policy_of(const std::string& text) { return policy_of({layer(Layer::built_in, parsed(text))}); }

inline EffectivePolicy built_in(std::string_view name) {
  auto profile = built_in_profile(name);
  EXPECT_TRUE(profile && *profile) << name;
  return policy_of({layer(Layer::built_in, std::move(**profile))});
}

inline Decision decided(const EffectivePolicy& policy, const std::string& code, std::string_view language = "python",
                        std::vector<std::string> approved = {}) {
  contract::RunRequest request;
  request.code = code;
  PolicyQuestion question = question_of(request, language);
  question.approved_rules = std::move(approved);
  return decide(policy, question);
}

}  // namespace glovebox::policy

#include "policy/effective_policy.h"

#include <array>

#include "base/sha256.h"
#include "policy/tightening.h"

namespace glovebox::policy {
namespace {

constexpr std::array<std::string_view, 4> kLayers = {"built_in", "operator", "tenant", "workspace"};
static_assert(static_cast<std::size_t>(Layer::workspace) + 1 == kLayers.size());

bool depends_on_text(const Profile& profile) {
  if (profile.unparsed != Verdict::allow || profile.program.max_nesting != 0) {
    return true;
  }
  for (const Otherwise& otherwise : profile.otherwise) {
    if (otherwise.verdict != Verdict::allow) {
      return true;
    }
  }
  for (const Rule& rule : profile.rules) {
    if (rule.verdict != Verdict::allow) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string_view to_string(Layer layer) { return kLayers.at(static_cast<std::size_t>(layer)); }

int strength(contract::Isolation isolation) {
  switch (isolation) {
    case contract::Isolation::none:
      return 0;
    case contract::Isolation::process:
      return 1;
    case contract::Isolation::container:
    case contract::Isolation::wasm:
      return 2;
    case contract::Isolation::vm:
      return 3;
  }
  return 0;
}

base::Result<EffectivePolicy> EffectivePolicy::combine(std::string name, std::vector<PolicyLayer> layers,
                                                       std::string_view wall) {
  EffectivePolicy policy;
  base::Sha256 digest;
  const auto note = [&digest](std::string_view text) {
    digest.update(text);
    digest.update(std::string_view("\n", 1));
  };
  note("glovebox policy 1");
  note(wall);
  for (PolicyLayer& layer : layers) {
    if (layer.layer == Layer::workspace) {
      TRY_STATUS(refuse_loosening(*layer.profile, policy.layers_));
    }
    RuleIndex index;
    for (std::size_t number = 0; number < layer.profile->rules.size(); ++number) {
      index.add(layer.profile->rules[number], static_cast<std::uint32_t>(number));
    }
    note(to_string(layer.layer));
    note(layer.profile->sha256);
    policy.needs_facts_ = policy.needs_facts_ || depends_on_text(*layer.profile);
    policy.has_rules_ = policy.has_rules_ || !layer.profile->rules.empty();
    policy.indexes_.push_back(std::move(index));
    policy.layers_.push_back(std::move(layer));
  }
  policy.reference_ = name + "@sha256:" + digest.hex();
  policy.name_ = std::move(name);
  return policy;
}

}  // namespace glovebox::policy

// The policy that counts for a run: profiles in layers, and the strictest of them wins (P2).
//
//   built_in     what the program brings
//   operator     a file of the same name in the operator's directory, and the floor that the operator sets for all
//   tenant       the profile that a tenant is bound to
//   workspace    .glovebox/policy.toml of a directory, for commands that run there
//
// Each layer judges by itself; of their answers the strictest counts. So no layer can take back what another one
// forbids, and a bound is the least of all. A workspace that tries to is refused, with the place in its file: its
// author believes something that is not so.
//
// The digest covers the text of every layer and the wall itself. It stands in the provenance of every result, and
// approvals are bound to it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "contract/limits.h"
#include "policy/profile.h"
#include "policy/rule_index.h"

namespace glovebox::policy {

enum class Layer { built_in, operators, tenant, workspace };
[[nodiscard]] std::string_view to_string(Layer layer);

struct PolicyLayer {
  Layer layer = Layer::built_in;
  std::shared_ptr<const Profile> profile;
};

// The greater, the stronger.
[[nodiscard]] int strength(contract::Isolation isolation);

class EffectivePolicy {
 public:
  // `name` is what the request says; `wall` identifies the wall that the policy stands on. At least one layer.
  [[nodiscard]] static base::Result<EffectivePolicy> combine(std::string name, std::vector<PolicyLayer> layers,
                                                             std::string_view wall);

  [[nodiscard]] const std::string& name() const { return name_; }
  // "strict@sha256:…"
  [[nodiscard]] const std::string& reference() const { return reference_; }
  [[nodiscard]] const std::vector<PolicyLayer>& layers() const { return layers_; }
  [[nodiscard]] const RuleIndex& rules(std::size_t layer) const { return indexes_[layer]; }
  // Whether the answer can depend on what the program's text says. If not, nobody need read it.
  [[nodiscard]] bool needs_facts() const { return needs_facts_; }
  // Whether there is any rule, if only one that explains.
  [[nodiscard]] bool has_rules() const { return has_rules_; }

 private:
  EffectivePolicy() = default;

  std::string name_;
  std::string reference_;
  std::vector<PolicyLayer> layers_;
  std::vector<RuleIndex> indexes_;  // of the layers, in their order
  bool needs_facts_ = false;
  bool has_rules_ = false;
};

}  // namespace glovebox::policy

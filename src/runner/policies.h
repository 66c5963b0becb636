// Where policies come from: the built-in profiles, the operator's directory, the floor, the tenant's profile, the
// workspace. src/policy decides and reads no file; this reads the files and puts the layers together.
//
// Nothing is read before it is asked for, and what was read is kept: a changed file counts after a restart. A file that
// cannot be read or that is broken is an error for every run that needs it, never a policy without it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/effective_policy.h"

namespace glovebox::runner {

struct PolicyPlaces {
  std::string directory;       // the operator's profiles, <name>.toml each; empty: none
  std::string floor;           // a profile that every run must pass too; empty: none
  std::string workspace_file;  // .glovebox/policy.toml of the directory that a command runs in; empty: none
};

// /etc/glovebox/policies
[[nodiscard]] std::string default_policy_directory();

// As in a request; above all no path.
[[nodiscard]] bool is_profile_name(std::string_view name);

class Policies {
 public:
  explicit Policies(PolicyPlaces places) : places_(std::move(places)) {}

  // What counts for a run that names `name`, of a tenant that is bound to `tenant_profile` (empty: to none).
  [[nodiscard]] base::Result<std::shared_ptr<const policy::EffectivePolicy>> effective(
      const std::string& name, const std::string& tenant_profile);
  // Sorted.
  [[nodiscard]] std::vector<std::string> names() const;
  // Reads every file there is: a service does not start with a broken one.
  [[nodiscard]] base::Status check_all();

 private:
  [[nodiscard]] base::Result<policy::EffectivePolicy> load(const std::string& name, const std::string& tenant_profile);
  // The layers of one name: the built-in profile, the operator's file, or both. `as` is what the layers count as.
  [[nodiscard]] base::Status add_layers(const std::string& name, policy::Layer as,
                                        std::vector<policy::PolicyLayer>& layers) const;
  [[nodiscard]] std::string operator_file(std::string_view name) const;

  const PolicyPlaces places_;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const policy::EffectivePolicy>> known_;
};

}  // namespace glovebox::runner

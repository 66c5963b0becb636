#include "runner/policies.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>

#include "base/fd.h"
#include "base/utf8.h"
#include "os/files.h"
#include "os/seccomp_filter.h"

namespace glovebox::runner {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::Result;
using policy::Layer;
using policy::PolicyLayer;
using policy::Profile;

constexpr std::string_view kEnding = ".toml";
constexpr std::size_t kMaxPolicyFileBytes = 1U << 20U;
constexpr std::size_t kMaxFiles = 1000;
constexpr std::size_t kMaxKnown = 1000;

// Null: there is no such file. One that cannot be read is an error: its rules must not be left out.
Result<std::shared_ptr<const Profile>> load_file(const std::string& path, std::string_view name) {
  const base::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.valid()) {
    if (errno == ENOENT || errno == ENOTDIR) {
      return std::shared_ptr<const Profile>();
    }
    return base::fail(base::errno_error(ErrorCode::invalid_request, "", "cannot read the policy " + path));
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return base::fail(ErrorCode::invalid_request, path + " is not a regular file");
  }
  auto text = os::read_all(file.get(), kMaxPolicyFileBytes);
  if (!text) {
    return base::fail(ErrorCode::invalid_request, path + ": " + text.error().message);
  }
  return std::make_shared<const Profile>(TRY(policy::parse_profile(*text, path, name)));
}

// The wall that every policy stands on.
std::string_view wall() {
  const os::SeccompFilter* filter = os::find_seccomp_filter("default");
  return filter != nullptr ? std::string_view(filter->key) : std::string_view();
}

}  // namespace

std::string default_policy_directory() { return "/etc/glovebox/policies"; }

bool is_profile_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && name.front() >= 'a' && name.front() <= 'z' &&
         std::all_of(name.begin(), name.end(), [](char letter) {
           return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_' ||
                  letter == '-';
         });
}

std::string Policies::operator_file(std::string_view name) const {
  return places_.directory.empty() ? "" : fmt::format("{}/{}{}", places_.directory, name, kEnding);
}

std::vector<std::string> Policies::names() const {
  const auto built_in = policy::built_in_profile_names();
  std::set<std::string> all(built_in.begin(), built_in.end());
  std::error_code failure;
  fs::directory_iterator each(places_.directory, failure);
  for (; !failure && each != fs::directory_iterator() && all.size() < kMaxFiles; each.increment(failure)) {
    if (each->path().extension() == kEnding && is_profile_name(each->path().stem().string())) {
      all.insert(each->path().stem().string());
    }
  }
  return {all.begin(), all.end()};
}

base::Status Policies::add_layers(const std::string& name, Layer as, std::vector<PolicyLayer>& layers) const {
  bool found = false;
  if (auto built_in = policy::built_in_profile(name); built_in) {
    Profile profile = TRY(std::move(*built_in));
    layers.push_back({as, std::make_shared<const Profile>(std::move(profile))});
    found = true;
  }
  if (const std::string file = is_profile_name(name) ? operator_file(name) : ""; !file.empty()) {
    if (auto profile = TRY(load_file(file, name)); profile != nullptr) {
      layers.push_back({std::max(as, Layer::operators), std::move(profile)});
      found = true;
    }
  }
  if (!found) {
    return base::fail(
        base::make_error(ErrorCode::unsupported, fmt::format("there is no policy \"{}\"", base::printable(name, 64)))
            .with_field("policy")
            .with_hint(fmt::format("known here: {}", fmt::join(names(), ", "))));
  }
  return {};
}

Result<policy::EffectivePolicy> Policies::load(const std::string& name, const std::string& tenant_profile) {
  std::vector<PolicyLayer> layers;
  TRY_STATUS(add_layers(name, Layer::built_in, layers));
  if (!places_.floor.empty() && places_.floor != name) {
    TRY_STATUS(add_layers(places_.floor, Layer::operators, layers));
  }
  if (!tenant_profile.empty() && tenant_profile != name && tenant_profile != places_.floor) {
    TRY_STATUS(add_layers(tenant_profile, Layer::tenant, layers));
  }
  if (!places_.workspace_file.empty()) {
    if (auto profile = TRY(load_file(places_.workspace_file, "workspace")); profile != nullptr) {
      layers.push_back({Layer::workspace, std::move(profile)});
    }
  }
  return policy::EffectivePolicy::combine(name, std::move(layers), wall());
}

Result<std::shared_ptr<const policy::EffectivePolicy>> Policies::effective(const std::string& name,
                                                                           const std::string& tenant_profile) {
  const std::pair key(name, tenant_profile);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(key); known != known_.end()) {
      return known->second;
    }
  }
  auto loaded = std::make_shared<const policy::EffectivePolicy>(TRY(load(name, tenant_profile)));
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kMaxKnown) {
    known_.clear();
  }
  return known_.insert_or_assign(key, std::move(loaded)).first->second;
}

base::Status Policies::check_all() {
  for (const std::string& name : names()) {
    if (auto loaded = effective(name, ""); !loaded) {
      return base::fail(std::move(loaded.error()));
    }
  }
  return {};
}

}  // namespace glovebox::runner

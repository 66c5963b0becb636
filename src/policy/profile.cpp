#include "policy/profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "policy/embedded.h"

namespace glovebox::policy {
namespace {

constexpr std::string_view kDirectory = "profiles/policies/";
constexpr std::string_view kEnding = ".toml";
constexpr std::array<std::string_view, kFactKinds> kKinds = {"import", "call", "attribute", "dynamic"};
static_assert(static_cast<std::size_t>(FactKind::dynamic) + 1 == kFactKinds);

std::string_view name_of(const base::EmbeddedFile& file) {
  return file.path.substr(kDirectory.size(), file.path.size() - kDirectory.size() - kEnding.size());
}

}  // namespace

std::string_view to_string(FactKind kind) { return kKinds.at(static_cast<std::size_t>(kind)); }

std::string where(const Profile& profile, const std::string& key) {
  const auto place = profile.places.find(key);
  return place == profile.places.end()
             ? profile.file_name + ": "
             : fmt::format("{}:{}:{}: ", profile.file_name, place->second.line, place->second.column);
}

std::vector<std::string> built_in_profile_names() {
  std::vector<std::string> names;
  for (const base::EmbeddedFile& file : embedded_policy_files()) {
    names.emplace_back(name_of(file));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<base::Result<Profile>> built_in_profile(std::string_view name, ExampleCheck check) {
  for (const base::EmbeddedFile& file : embedded_policy_files()) {
    if (name_of(file) == name) {
      return parse_profile(file.text, file.path, name, check);
    }
  }
  return std::nullopt;
}

}  // namespace glovebox::policy

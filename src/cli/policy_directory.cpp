#include "cli/policy_directory.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <vector>

#include "base/utf8.h"
#include "cli/records_flags.h"

namespace glovebox::cli {
namespace {

using base::ErrorCode;
using base::fail;
using base::Status;

constexpr std::string_view kEnding = ".toml";
constexpr std::size_t kMaxShownPathBytes = 200;

// Hidden files are those of editors.
std::vector<std::string> unusable_profiles(DIR* directory) {
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(directory)) {
    const std::string_view name = entry->d_name;
    if (!name.starts_with('.') && name.ends_with(kEnding) &&
        !runner::is_profile_name(name.substr(0, name.size() - kEnding.size()))) {
      names.emplace_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

Status check_directory(const std::string& path, const std::string& said_where) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), &::closedir);
  if (!directory) {
    if (errno == ENOENT && path == runner::default_policy_directory()) {
      return {};
    }
    return fail(base::errno_error(ErrorCode::invalid_request, "", "cannot read the policies in " + path)
                    .with_field(said_where));
  }
  if (const auto names = unusable_profiles(directory.get()); !names.empty()) {
    return fail(flag_error(said_where, path + "/" + base::printable(names.front(), kMaxShownPathBytes) +
                                           " cannot be the name of a policy")
                    .with_hint("a policy's file is named with a-z, 0-9, _ and -, begins with a letter and ends in "
                               ".toml; rename it, or move it away"));
  }
  return {};
}

}  // namespace

base::Result<runner::PolicyPlaces> policy_places(const runner::Config& config, const std::string& directory_flag) {
  runner::PolicyPlaces places;
  places.directory = directory_flag.empty() ? config.service.policy.directory : directory_flag;
  places.floor = config.service.policy.floor;
  places.workspace_file = ".glovebox/policy.toml";
  if (!places.directory.empty()) {
    TRY_STATUS(check_directory(places.directory, directory_flag.empty() ? "policy.directory" : "--policy-dir"));
  }
  return places;
}

}  // namespace glovebox::cli

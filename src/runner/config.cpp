#include "runner/config.h"

#include <algorithm>
#include <cstdlib>

#include "base/toml_library.h"
#include "os/files.h"

namespace glovebox::runner {
namespace {

using base::ErrorCode;
using base::fail;
using base::Result;
using base::Status;

constexpr std::size_t kMaxConfigBytes = 64U << 10U;

base::Error config_error(std::string_view file, const toml::source_position& where, std::string what) {
  return base::make_error(ErrorCode::invalid_request, std::string(file) + ":" + std::to_string(where.line) + ":" +
                                                          std::to_string(where.column) + ": " + std::move(what));
}

Status apply_table(const toml::table& table, std::string_view file_name, Config& config) {
  for (const auto& [key, value] : table) {
    if (key.str() != "degraded") {
      return fail(config_error(file_name, key.source().begin, "there is no setting \"" + std::string(key.str()) + "\"")
                      .with_hint("the only one is: degraded = true or false"));
    }
    if (!value.is_boolean()) {
      return fail(config_error(file_name, value.source().begin, "degraded is true or false"));
    }
    config.degraded = value.as_boolean()->get();
  }
  return {};
}

}  // namespace

Status apply_config(std::string_view toml_text, std::string_view file_name, Config& config) {
  const bool ascii = std::all_of(toml_text.begin(), toml_text.end(), [](char byte) { return byte > 0; });
  if (!ascii) {
    return fail(ErrorCode::invalid_request, std::string(file_name) + ": only ASCII text is allowed");
  }
  try {
    const toml::table table = toml::parse(toml_text, file_name);
    return apply_table(table, file_name, config);
  } catch (const toml::parse_error& error) {
    return fail(config_error(file_name, error.source().begin, std::string(error.description())));
  } catch (const std::logic_error& error) {
    return fail(ErrorCode::invalid_request, std::string(file_name) + ": " + error.what());
  }
}

Result<Config> load_config(const std::vector<std::string>& files) {
  Config config;
  for (const std::string& file : files) {
    if (!os::path_exists(file)) {
      continue;
    }
    auto text = os::read_file(file, kMaxConfigBytes);
    if (!text) {
      text.error().message = file + ": " + text.error().message;
      return fail(std::move(text.error()));
    }
    TRY_STATUS(apply_config(*text, file, config));
  }
  return config;
}

std::vector<std::string> default_config_files() {
  std::vector<std::string> files = {"/etc/glovebox/glovebox.toml"};
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && *config == '/') {
    files.push_back(std::string(config) + "/glovebox/glovebox.toml");
  } else if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    files.push_back(std::string(home) + "/.config/glovebox/glovebox.toml");
  }
  return files;
}

}  // namespace glovebox::runner

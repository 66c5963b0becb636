#include "runner/config.h"

#include <algorithm>
#include <array>
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

// One whole number of the table [pool], with its bounds.
struct PoolNumber {
  std::string_view name;
  std::uint64_t least;
  std::uint64_t most;
  void (*set)(engine::PoolOptions&, std::uint64_t);
};

constexpr std::uint64_t kMib = 1ULL << 20U;
constexpr std::array kPoolNumbers = {
    PoolNumber{"memory_mib", 16, 1U << 20U, [](auto& pool, auto value) { pool.memory_budget_bytes = value * kMib; }},
    PoolNumber{"least_idle", 1, 1024,
               [](auto& pool, auto value) { pool.least_idle = static_cast<std::uint32_t>(value); }},
    PoolNumber{"most_idle", 1, 1024,
               [](auto& pool, auto value) { pool.most_idle = static_cast<std::uint32_t>(value); }},
    PoolNumber{"queue_length", 0, 100'000,
               [](auto& pool, auto value) { pool.queue_length = static_cast<std::uint32_t>(value); }},
    PoolNumber{"queue_wait_ms", 0, 600'000,
               [](auto& pool, auto value) { pool.queue_wait_ms = static_cast<std::uint32_t>(value); }},
    PoolNumber{"zygote_cells", 1, 1'000'000'000, [](auto& pool, auto value) { pool.zygote_cells = value; }},
    PoolNumber{"zygote_age_s", 1, 30ULL * 24 * 3600, [](auto& pool, auto value) { pool.zygote_age_s = value; }},
    PoolNumber{"idle_age_s", 1, 30ULL * 24 * 3600, [](auto& pool, auto value) { pool.idle_age_s = value; }},
};

Status apply_pool_entry(std::string_view name, const toml::node& value, std::string_view file, Config& config) {
  const auto refuse = [&](std::string what) { return fail(config_error(file, value.source().begin, std::move(what))); };
  if (name == "fresh_network") {
    if (!value.is_boolean()) {
      return refuse("fresh_network is true or false");
    }
    config.pool.fresh_network = value.as_boolean()->get();
    return {};
  }
  if (name == "when_empty") {
    const auto word = value.value<std::string_view>();
    if (!word || (*word != "queue" && *word != "cold")) {
      return refuse("when_empty is \"queue\" or \"cold\"");
    }
    config.pool.when_empty = *word == "queue" ? engine::WhenEmpty::queue : engine::WhenEmpty::cold;
    return {};
  }
  const auto found = std::find_if(kPoolNumbers.begin(), kPoolNumbers.end(),
                                  [&](const PoolNumber& number) { return number.name == name; });
  if (found == kPoolNumbers.end()) {
    return refuse("there is no setting \"pool." + std::string(name) + "\"");
  }
  const auto* number = value.as_integer();
  if (number == nullptr || number->get() < static_cast<std::int64_t>(found->least) ||
      number->get() > static_cast<std::int64_t>(found->most)) {
    return refuse(std::string(name) + " is a whole number from " + std::to_string(found->least) + " to " +
                  std::to_string(found->most));
  }
  found->set(config.pool, static_cast<std::uint64_t>(number->get()));
  return {};
}

Status apply_pool(const toml::node& value, std::string_view file_name, Config& config) {
  const toml::table* table = value.as_table();
  if (table == nullptr) {
    return fail(config_error(file_name, value.source().begin, "pool is a table"));
  }
  for (const auto& [key, entry] : *table) {
    TRY_STATUS(apply_pool_entry(key.str(), entry, file_name, config));
  }
  if (config.pool.least_idle > config.pool.most_idle) {
    return fail(config_error(file_name, value.source().begin, "least_idle is more than most_idle"));
  }
  return {};
}

Status apply_table(const toml::table& table, std::string_view file_name, Config& config) {
  for (const auto& [key, value] : table) {
    if (key.str() == "pool") {
      TRY_STATUS(apply_pool(value, file_name, config));
      continue;
    }
    if (key.str() != "degraded") {
      return fail(config_error(file_name, key.source().begin, "there is no setting \"" + std::string(key.str()) + "\"")
                      .with_hint("known are: degraded = true or false, and the table [pool]"));
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

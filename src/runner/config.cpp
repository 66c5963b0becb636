#include "runner/config.h"

#include <algorithm>
#include <cstdlib>

#include "base/toml_library.h"
#include "os/files.h"
#include "runner/settings.h"

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

std::string full_name(const Setting& setting) {
  return setting.table.empty() ? std::string(setting.name)
                               : std::string(setting.table) + "." + std::string(setting.name);
}

std::string list_of(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) {
    text += (text.empty() ? "\"" : " or \"") + std::string(word) + "\"";
  }
  return text;
}

// Each sets the value, or says what the setting is.
std::string apply(const NumberSetting& kind, const toml::node& value, Config& config) {
  const auto* number = value.as_integer();
  if (number == nullptr || number->get() < static_cast<std::int64_t>(kind.least) ||
      number->get() > static_cast<std::int64_t>(kind.most)) {
    return "a whole number from " + std::to_string(kind.least) + " to " + std::to_string(kind.most);
  }
  kind.set(config, static_cast<std::uint64_t>(number->get()));
  return "";
}

std::string apply(const FlagSetting& kind, const toml::node& value, Config& config) {
  if (!value.is_boolean()) {
    return "true or false";
  }
  kind.set(config, value.as_boolean()->get());
  return "";
}

std::string apply(const WordSetting& kind, const toml::node& value, Config& config) {
  const auto text = value.value_exact<std::string>();
  if (!text || (!kind.words.empty() && std::find(kind.words.begin(), kind.words.end(), *text) == kind.words.end())) {
    return kind.words.empty() ? "a text in quotes" : list_of(kind.words);
  }
  kind.set(config, *text);
  return "";
}

std::string apply(const ListSetting& kind, const toml::node& value, Config& config) {
  std::vector<std::string> texts;
  const toml::array* array = value.as_array();
  for (std::size_t index = 0; array != nullptr && index < array->size(); ++index) {
    if (const auto text = array->get(index)->value_exact<std::string>(); text && !text->empty()) {
      texts.push_back(*text);
    } else {
      array = nullptr;
    }
  }
  if (array == nullptr) {
    return "a list of texts: [\"…\", \"…\"]";
  }
  kind.set(config, std::move(texts));
  return "";
}

Status apply_setting(std::string_view table, const toml::key& key, const toml::node& value, std::string_view file_name,
                     Config& config) {
  const auto settings = all_settings();
  const auto found = std::find_if(settings.begin(), settings.end(), [&](const Setting& setting) {
    return setting.table == table && setting.name == key.str();
  });
  if (found == settings.end()) {
    std::vector<std::string_view> near;
    for (const Setting& setting : settings) {
      if (setting.table == table) {
        near.push_back(setting.name);
      }
    }
    std::string known;
    for (const std::string_view name : near) {
      known += (known.empty() ? "" : ", ") + std::string(name);
    }
    const std::string name = (table.empty() ? "" : std::string(table) + ".") + std::string(key.str());
    return fail(config_error(file_name, key.source().begin, "there is no setting \"" + name + "\"")
                    .with_hint("known are: " + known));
  }
  const std::string expected = std::visit([&](const auto& kind) { return apply(kind, value, config); }, found->kind);
  if (!expected.empty()) {
    return fail(config_error(file_name, value.source().begin, full_name(*found) + " is " + expected));
  }
  return {};
}

bool is_table(std::string_view name) {
  const auto settings = all_settings();
  return !name.empty() &&
         std::any_of(settings.begin(), settings.end(), [&](const Setting& setting) { return setting.table == name; });
}

std::string tables() {
  std::string text;
  for (const Setting& setting : all_settings()) {
    const std::string word = "[" + std::string(setting.table) + "]";
    if (!setting.table.empty() && text.find(word) == std::string::npos) {
      text += (text.empty() ? "" : ", ") + word;
    }
  }
  return text;
}

Status apply_table(const toml::table& table, std::string_view file_name, Config& config) {
  for (const auto& [key, value] : table) {
    if (!is_table(key.str())) {
      auto applied = apply_setting("", key, value, file_name, config);
      if (!applied) {
        applied.error().hint += applied.error().hint.empty() ? "" : "; and the tables " + tables();
        return applied;
      }
      continue;
    }
    const toml::table* inner = value.as_table();
    if (inner == nullptr) {
      return fail(config_error(file_name, value.source().begin, std::string(key.str()) + " is a table"));
    }
    for (const auto& [name, entry] : *inner) {
      TRY_STATUS(apply_setting(key.str(), name, entry, file_name, config));
    }
    if (config.pool.least_idle > config.pool.most_idle) {
      return fail(config_error(file_name, value.source().begin, "least_idle is more than most_idle"));
    }
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

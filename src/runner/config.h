// What an operator or a user has decided once for all runs on this host: glovebox.toml.
//
//   degraded = true     run although the kernel cannot enforce all limits here (default: false)
//   [pool]              warm cells, where a process keeps any
//   [serve] [queue] [quota] [task] [cache] [records] [redaction] [policy]      what a service does
//
// settings.cpp lists every setting with its bounds; docs/service.md explains them.
//
// The system's file comes first, the user's own second and wins. Parsing is strict: an unknown key, a wrong type or a
// file that cannot be read is an error with file and line, never a silent default.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/pool/pool_options.h"
#include "runner/service_settings.h"

namespace glovebox::runner {

struct Config {
  bool degraded = false;
  engine::PoolOptions pool;
  ServiceSettings service;
  bool operator==(const Config&) const = default;
};

// Changes only what the text says. `file_name` is for messages.
[[nodiscard]] base::Status apply_config(std::string_view toml_text, std::string_view file_name, Config& config);

// Files that do not exist are skipped.
[[nodiscard]] base::Result<Config> load_config(const std::vector<std::string>& files);

// /etc/glovebox/glovebox.toml, then $XDG_CONFIG_HOME/glovebox/glovebox.toml (or below $HOME/.config).
[[nodiscard]] std::vector<std::string> default_config_files();

}  // namespace glovebox::runner

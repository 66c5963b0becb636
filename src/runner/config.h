// What an operator or a user has decided once for all runs on this host: glovebox.toml.
//
//   degraded = true     run although the kernel cannot enforce all limits here (default: false)
//
//   [pool]              warm cells, where a process keeps any (engine/pool/pool_options.h has the defaults)
//   memory_mib          for all that waits
//   least_idle, most_idle        cells per kind
//   when_empty          "queue": wait for a warm cell; "cold": build a cold one at once
//   queue_length, queue_wait_ms  how long the line, and how long in it
//   zygote_cells, zygote_age_s   when a zygote is replaced
//   idle_age_s          when a cell that nobody wanted is replaced, and its kind forgotten
//   fresh_network       true: a new network namespace for every cell
//
// The system's file comes first, the user's own second and wins. Parsing is strict: an unknown key, a wrong type or a
// file that cannot be read is an error with file and line, never a silent default.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/pool/pool_options.h"

namespace glovebox::runner {

struct Config {
  bool degraded = false;
  engine::PoolOptions pool;
  bool operator==(const Config&) const = default;
};

// Changes only what the text says. `file_name` is for messages.
[[nodiscard]] base::Status apply_config(std::string_view toml_text, std::string_view file_name, Config& config);

// Files that do not exist are skipped.
[[nodiscard]] base::Result<Config> load_config(const std::vector<std::string>& files);

// /etc/glovebox/glovebox.toml, then $XDG_CONFIG_HOME/glovebox/glovebox.toml (or below $HOME/.config).
[[nodiscard]] std::vector<std::string> default_config_files();

}  // namespace glovebox::runner

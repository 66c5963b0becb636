// What a request says about itself and its sender, in `_meta` and, in the older era, in `initialize`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "contract/json_parse.h"

namespace glovebox::mcp {

// What the client said that it can do for us.
struct ClientTraits {
  bool elicitation = false;  // with a form
  bool sampling = false;
  bool roots = false;
  std::string name;  // for people; nothing is decided by it
  bool operator==(const ClientTraits&) const = default;
};

enum class LogLevel { debug, info, notice, warning, error, critical, alert, emergency };
[[nodiscard]] std::optional<LogLevel> parse_log_level(std::string_view name);
[[nodiscard]] std::string_view to_string(LogLevel level);

struct RequestMeta {
  std::optional<std::string> revision;  // as it was written
  std::optional<ClientTraits> client;   // nothing: no capabilities were told
  std::string progress_token;           // as JSON; empty: no progress is wanted
  std::optional<LogLevel> log_level;    // nothing: no log messages are wanted
};

[[nodiscard]] ClientTraits read_capabilities(const contract::JsonValue& capabilities);
[[nodiscard]] RequestMeta read_meta(const contract::JsonValue& params);

}  // namespace glovebox::mcp

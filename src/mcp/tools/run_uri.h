// The names of what a run left: glovebox://runs/ID/stdout, /stderr, /result, /artifacts/PATH.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace glovebox::mcp {

struct RunUri {
  enum class Part { standard_output, standard_error, result, artifact };
  std::string run_id;
  Part part = Part::result;
  std::string path;  // of an artifact
  bool operator==(const RunUri&) const = default;
};

[[nodiscard]] std::string to_string(const RunUri& uri);
// Nothing: this is no name of ours.
[[nodiscard]] std::optional<RunUri> parse_run_uri(std::string_view text);

}  // namespace glovebox::mcp

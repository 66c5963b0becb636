// The programs that a cold sealed run is compared with: each runs `python3 -c pass` in its own way.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace glovebox::bench {

struct Peer {
  std::string name;
  std::vector<std::string> command;
  std::string skipped;  // why it cannot be measured here; empty: it can
};

// `scratch` is an empty directory for bundles; it is the caller's to remove.
[[nodiscard]] std::vector<Peer> find_peers(const std::string& glovebox, const std::string& scratch);

// Milliseconds from spawn to reaped, or nullopt when it did not exit with 0.
[[nodiscard]] std::optional<double> time_command(const std::vector<std::string>& command);

}  // namespace glovebox::bench

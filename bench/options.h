// What a caller of the benchmark may choose.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bench/workload.h"

namespace glovebox::bench {

enum class Effort { full, quick };

struct Options {
  Effort effort = Effort::full;
  int rounds = 0;                      // of the sequential mode; 0: what each workload deserves
  std::vector<std::string> workloads;  // empty: all in the sequential mode, print in the others
  std::vector<std::string> peers;      // empty: all
  std::vector<std::string> modes;      // empty: all but endurance
  std::size_t burst = 100;
  std::size_t endurance_runs = 100'000;
  std::string pyodide;   // directory of the installed npm package; empty: looked for
  std::string glovebox;  // the program itself
  std::string version;
  std::string command;                      // as typed, for the report
  bool degraded = false;                    // as the operator's settings have it
  const std::atomic<bool>* stop = nullptr;  // set from a signal handler

  [[nodiscard]] bool quick() const { return effort == Effort::quick; }
  [[nodiscard]] bool wants_mode(std::string_view name) const;
  [[nodiscard]] bool wants_peer(std::string_view id) const;
  [[nodiscard]] int rounds_of(const Workload& workload) const;
};

[[nodiscard]] const std::vector<std::string>& mode_names();
[[nodiscard]] const std::vector<std::string>& peer_ids();

// Names that do not exist, numbers that make no sense.
[[nodiscard]] base::Status check_options(const Options& options);

}  // namespace glovebox::bench

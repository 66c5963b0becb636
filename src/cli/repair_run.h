// `glovebox run --repair CMD`: run, and while it fails let CMD mend the program.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "contract/run_request.h"
#include "runner/retry.h"
#include "runner/runner.h"

namespace CLI {
class App;
}

namespace glovebox::cli {

struct RepairFlags {
  std::string command;  // empty: nobody mends anything
  std::uint32_t attempts = 3;
  std::string budget = "10s";
  std::string patience = "2m";
  std::string report_file;
  [[nodiscard]] bool wanted() const { return !command.empty(); }
};

void add_repair_flags(CLI::App& app, RepairFlags& flags);

// Fails when a flag makes no sense; what becomes of the program is in the report. `options.cancel` must be set.
[[nodiscard]] base::Result<runner::RetryReport> run_repaired(runner::Runner& runner,
                                                             const contract::RunRequest& request,
                                                             const RepairFlags& flags,
                                                             const runner::RunOptions& options);

// The report on standard error, and in a file where the flags name one.
[[nodiscard]] base::Status tell_repair(const runner::RetryReport& report, const RepairFlags& flags, bool quiet);

}  // namespace glovebox::cli

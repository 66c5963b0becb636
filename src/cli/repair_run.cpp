#include "cli/repair_run.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/units.h"
#include "cli/app.h"
#include "cli/repair_command.h"
#include "os/files.h"
#include "runner/repair_brief.h"

namespace glovebox::cli {
namespace {

using base::Result;
using std::chrono::milliseconds;

constexpr std::uint32_t kMostAttempts = 100;

Result<milliseconds> duration_of(const std::string& text, const char* flag) {
  auto parsed = base::parse_duration_ms(text);
  if (!parsed || *parsed == 0) {
    return base::fail(base::make_error(base::ErrorCode::invalid_request,
                                       parsed ? "it has to be longer than nothing" : parsed.error().message)
                          .with_field(flag));
  }
  return milliseconds(static_cast<std::int64_t>(*parsed));
}

}  // namespace

void add_repair_flags(CLI::App& app, RepairFlags& flags) {
  app.add_option("--repair", flags.command,
                 "when the program fails, this command mends it: it gets what is known as JSON on its standard input "
                 "and prints the new program")
      ->type_name("CMD")
      ->group("Repair");
  app.add_option("--attempts", flags.attempts, "programs that are run at most, the first included (3)")
      ->check(CLI::Range(std::uint32_t{1}, kMostAttempts))
      ->needs("--repair")
      ->group("Repair");
  app.add_option("--budget", flags.budget, "execution time of all attempts together (10s)")
      ->needs("--repair")
      ->group("Repair");
  app.add_option("--repair-timeout", flags.patience, "how long the command may think (2m)")
      ->needs("--repair")
      ->group("Repair");
  app.add_option("--repair-report", flags.report_file, "every attempt with its program and result, as JSON")
      ->type_name("FILE")
      ->needs("--repair")
      ->group("Repair");
}

Result<runner::RetryReport> run_repaired(runner::Runner& runner, const contract::RunRequest& request,
                                         const RepairFlags& flags, const runner::RunOptions& options) {
  runner::RetryLimits limits;
  limits.attempts = flags.attempts;
  limits.budget = TRY(duration_of(flags.budget, "--budget"));
  const milliseconds patience = TRY(duration_of(flags.patience, "--repair-timeout"));
  const auto supplier = [&](const runner::RepairBrief& brief) -> Result<std::string> {
    const std::string answer =
        TRY(ask_command(flags.command, runner::to_json(brief) + "\n", patience, *options.cancel));
    return runner::code_of_answer(answer);
  };
  return runner::run_with_retries(runner, request, supplier, limits, options);
}

base::Status tell_repair(const runner::RetryReport& report, const RepairFlags& flags, bool quiet) {
  if (!quiet && (report.attempts.size() > 1 || report.stop != runner::RetryStop::success)) {
    std::fprintf(stderr, "glovebox: repair: %s", runner::hand_over(report).c_str());
  }
  if (flags.report_file.empty()) {
    return {};
  }
  const base::Fd file(::open(flags.report_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file.valid()) {
    return base::fail(base::errno_error(base::ErrorCode::invalid_request, "", "cannot write " + flags.report_file)
                          .with_field("--repair-report"));
  }
  return os::write_all(file.get(), runner::to_json(report, contract::JsonStyle::pretty) + "\n");
}

}  // namespace glovebox::cli

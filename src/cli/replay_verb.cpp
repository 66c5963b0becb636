#include "runner/replay.h"

#include <cstdio>

#include "base/utf8.h"
#include "cli/app.h"
#include "cli/interrupt.h"
#include "cli/records_flags.h"
#include "cli/request_flags.h"
#include "cli/run_report.h"
#include "cli/table.h"

namespace glovebox::cli {
namespace {

using base::Result;
using runner::ReplayReport;
using runner::ReplayVerdict;

constexpr int kExitDiffers = 1;
constexpr int kExitImageChanged = 2;

int status_of(ReplayVerdict verdict) {
  switch (verdict) {
    case ReplayVerdict::equal:
      return 0;
    case ReplayVerdict::differs:
      return kExitDiffers;
    case ReplayVerdict::image_changed:
      return kExitImageChanged;
  }
  return kExitOurs;
}

// Without the line break at its end; on a terminal and everywhere else harmless.
std::string clean(const std::string& text) {
  std::string cleaned = base::sanitize_output(text);
  if (cleaned.ends_with('\n')) {
    cleaned.pop_back();
  }
  return cleaned;
}

std::string describe(const ReplayReport& report) {
  std::string text = "verdict: " + std::string(to_string(report.verdict)) + "\n";
  text += "  " + report.replay_of + " was run again as " + report.result.run_id + "\n";
  if (report.verdict == ReplayVerdict::image_changed) {
    text += "  the image is not the recorded one any more: a difference says nothing about the program\n";
  }
  if (report.redacted_inputs) {
    text += "  secrets were taken out of the recorded code or inputs, so this run got others\n";
  }
  for (const runner::ReplayDifference& difference : report.differences) {
    text += "\n" + difference.field;
    if (!difference.diff.empty()) {
      text += " (- recorded, + replayed)\n" + clean(difference.diff) + "\n";
    } else {
      text +=
          "\n  recorded  " + one_line(difference.recorded) + "\n  replayed  " + one_line(difference.replayed) + "\n";
    }
  }
  return text;
}

Result<int> replay_run(const std::string& id, const RequestFlags& flags) {
  auto runner = TRY(make_runner(flags));
  const engine::CancelToken token;
  runner::Caller caller;
  caller.tenant.clear();  // who may read the data directory may replay anybody's run
  ReplayReport report;
  {
    const CancelOnSignals cancel(token);
    runner::ReplayOptions options;
    options.cancel = &token;
    options.approved_rules = flags.approved_rules;
    options.approver = local_actor();
    report = TRY(runner::replay(*runner, id, caller, options));
  }
  return print(flags.json ? runner::to_json(report) + "\n" : describe(report)) == 0 ? status_of(report.verdict)
                                                                                    : kExitOurs;
}

}  // namespace

int replay_verb(Arguments arguments) {
  std::string id;
  RequestFlags flags;
  flags.record = true;
  CLI::App app(
      "Runs a recorded program again, with the recorded code, inputs, limits and policy, and says what is different.\n"
      "The second run has a record of its own. A service may be working on the same directory meanwhile.",
      "glovebox replay");
  app.add_option("ID", id, "run_…, as `glovebox runs` lists it")->required();
  add_data_flag(app, flags.data);
  app.add_flag("--json", flags.json, "for machines");
  app.add_flag("--degraded", flags.degraded, "run although the kernel cannot enforce all limits here");
  app.add_option("--approve", flags.approved_rules, "say yes to what this rule of the policy asks about; repeatable")
      ->type_name("RULE")
      ->allow_extra_args(false);
  app.footer(
      "Compared are outcome, exit, output, values, error, denials, policy, and artifacts by their hashes.\n"
      "exit status: 0 equal, 1 differs, 2 image_changed, 130 cancelled, 125 when Glovebox could not do its job\n");
  if (const auto status = parse(app, std::move(arguments)); status) {
    return *status;
  }
  const auto directory = data_directory(flags.data);
  if (!directory) {
    return report(directory.error());
  }
  // An unknown directory has no run to repeat: say so before an engine is made.
  if (const auto store = open_store(*directory, WhenMissing::refuse); !store) {
    return report(store.error());
  }
  const auto done = replay_run(id, flags);
  if (!done) {
    (void)report(done.error());
    return done.error().code == base::ErrorCode::cancelled ? kExitCancelled : kExitOurs;
  }
  return *done;
}

}  // namespace glovebox::cli

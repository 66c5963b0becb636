#include <cstdio>

#include "base/timestamp.h"
#include "base/utf8.h"
#include "cli/app.h"
#include "cli/moments.h"
#include "cli/records_flags.h"
#include "cli/service_switch.h"
#include "cli/table.h"
#include "records/record_json.h"
#include "runner/ledger.h"

namespace glovebox::cli {
namespace {

using base::fail;
using base::Result;

constexpr std::size_t kMaxReasonBytes = 1000;

struct AdminFlags {
  RecordsFlags records;
  std::string reason;
  ServiceFlags service;
};

void add_place_flags(CLI::App& app, AdminFlags& flags) {
  add_service_flags(app, flags.service, "admin");
  add_records_flags(app, flags.records);
}

std::string describe(const SwitchState& state, const ServicePlace& place) {
  const std::string who = state.served ? "the service" : "no service works on " + place.directory + "; the next one";
  if (!state.stopped) {
    return who + (state.served ? " takes work\n" : " will take work\n");
  }
  return who + (state.served ? " is stopped" : " will be stopped") + "\n  since   " +
         base::format_timestamp_ms(state.stopped->since_ms) + " (" +
         format_ago(state.stopped->since_ms, runner::unix_ms()) + ")\n  by      " + one_line(state.stopped->by) +
         "\n  reason  " + one_line(state.stopped->reason) + "\n";
}

Result<int> switch_service(const AdminFlags& flags, SwitchAction action) {
  const bool deceptive = !base::is_valid_utf8(flags.reason) || base::has_deceptive_characters(flags.reason);
  if (action != SwitchAction::state && (flags.reason.empty() || flags.reason.size() > kMaxReasonBytes || deceptive)) {
    return fail(flag_error("--reason", "a reason is 1 to " + std::to_string(kMaxReasonBytes) +
                                           " bytes of text without control characters"));
  }
  const ServicePlace place = TRY(place_of(flags.service, flags.records.data));
  const SwitchState state = TRY(operate(place, action, flags.reason));
  return print(flags.records.json ? records::to_json(state.stopped) + "\n" : describe(state, place));
}

}  // namespace

int admin_verb(Arguments arguments) {
  AdminFlags flags;
  CLI::App app(
      "The stop switch of a service: running programs are killed and new ones refused, until somebody resumes it.\n"
      "It works through the service, or, when none is running, on its data directory: the next one starts stopped.",
      "glovebox admin");
  app.require_subcommand(1);
  CLI::App* state = app.add_subcommand("state", "whether the service is stopped, since when, by whom and why");
  add_place_flags(*state, flags);
  CLI::App* stop = app.add_subcommand("stop", "kill what runs and refuse what comes, also after a restart");
  stop->add_option("--reason", flags.reason, "for the audit log and for those who are refused")->required();
  add_place_flags(*stop, flags);
  CLI::App* resume = app.add_subcommand("resume", "take work again; what was killed is not repeated");
  resume->add_option("--reason", flags.reason, "for the audit log")->required();
  add_place_flags(*resume, flags);
  app.footer(
      "examples:\n"
      "  glovebox admin stop --reason 'leaked credentials under investigation'\n"
      "  glovebox admin resume --reason 'the key was revoked' --url http://127.0.0.1:7070 --key gbk_…\n");
  if (const auto status = parse(app, std::move(arguments)); status) {
    return *status;
  }
  const SwitchAction action = stop->parsed()     ? SwitchAction::stop
                              : resume->parsed() ? SwitchAction::resume
                                                 : SwitchAction::state;
  const auto done = switch_service(flags, action);
  return done ? *done : report(done.error());
}

}  // namespace glovebox::cli

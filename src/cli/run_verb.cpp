#include <cerrno>
#include <chrono>
#include <cstdio>
#include <optional>

#include "cli/app.h"
#include "cli/artifact_files.h"
#include "cli/interrupt.h"
#include "cli/live_output.h"
#include "cli/policy_view.h"
#include "cli/records_flags.h"
#include "cli/repair_run.h"
#include "cli/request_flags.h"
#include "cli/run_report.h"
#include "cli/standard_output.h"
#include "cli/terminal_question.h"
#include "contract/run_result_codec.h"
#include "engine/languages/catalogue.h"
#include "runner/runner.h"

namespace glovebox::cli {
namespace {

constexpr const char* kExamples =
    "examples:\n"
    "  glovebox run -c 'print(1)'\n"
    "  glovebox run script.py --file data.csv --timeout 10s --memory 512M -- --verbose\n"
    "  glovebox run plot.py --file sales.csv --artifacts out/ --collect '*.png'\n"
    "  glovebox run -c 'def solve(input): return sum(input)' --input '[1,2,3]' --json\n"
    "  glovebox run clean.py --file data.csv --expect expect.json\n"
    "  glovebox run --request request.json --json\n"
    "  glovebox run script.py --repair ./ask_model.py --attempts 3 --budget 10s\n"
    "  glovebox run script.py --record       then: glovebox runs, glovebox replay run_…\n"
    "\n"
    "exit status: the program's own; 124 time limit, 126 denied or rejected, 130 cancelled,\n"
    "137 memory limit; 125 any other limit, a result that is not what --expect or solve(input) promise, a request\n"
    "that is refused (an unknown language, policy or isolation), or when Glovebox could not do its job.\n"
    "With --json: 0 whenever a result tells the story, 125 for a request that is refused and when we failed.\n";

// A warm cell is faster, never different: without one the run is built cold.
void prepare_warm_cell(runner::Runner& runner, const contract::RunRequest& request, const RequestFlags& flags) {
  constexpr auto kPatience = std::chrono::seconds(60);
  if (const auto ready = runner.prepare(request, 1, kPatience); !ready && !flags.json && !flags.quiet) {
    std::fprintf(stderr, "glovebox: not warm: %s\n", ready.error().message.c_str());
  }
}

// Somebody who types a command wants it run now, and its answer may serve others; a request says itself what it wants.
void choose_cache(contract::RunRequest& request, const RequestFlags& flags) {
  if (flags.record && flags.request_file.empty()) {
    request.cache = contract::CacheMode::refresh;
  }
}

// An answer from the records was never live.
void show_kept_output(LiveOutput& live, const contract::RunResult& result) {
  live.show({contract::EventKind::standard_output, result.standard_output});
  live.show({contract::EventKind::standard_error, result.standard_error});
}

// E7: with somebody at the terminal, a policy's question is asked there; without, the refusal names the grant.
void let_policy_ask(const RequestFlags& flags, const contract::RunRequest& request, runner::RunOptions& options) {
  options.approved_rules = flags.approved_rules;
  options.approver = local_actor();
  if (flags.json || flags.quiet || !can_ask()) {
    return;
  }
  const std::string name = flags.has_code || flags.words.empty() ? "program" : flags.words.front();
  options.ask = [&request, name](const policy::Decision& decision) {
    return ask(describe(decision, {name, request.code}, Colour::on) + "\nglovebox: run it all the same? [y/N] ");
  };
}

// A run that was refused by the stop switch or a quota has no record; one that could not be written down has half of
// one, and the result says so.
void tell_record(runner::Runner& runner, const contract::RunResult& result) {
  const auto record = runner.ledger()->store().find(result.run_id);
  if (record && *record && (*record)->summary.state != records::RunState::running) {
    std::fprintf(stderr, "glovebox: recorded as %s\n", result.run_id.c_str());
  }
}

}  // namespace

int run_verb(Arguments arguments) {
  RequestFlags flags;
  flags.takes_piped_input = true;
  RepairFlags repair;
  CLI::App app("Runs a program in a sealed cell: no network, nothing of the host but /usr read-only, hard limits.",
               "glovebox run");
  add_request_flags(app, flags);
  app.add_flag("--json", flags.json, "print the result object of the contract and nothing else")->group("Answer");
  app.add_flag("-q,--quiet", flags.quiet, "no words of ours on stderr unless we failed")->group("Answer");
  app.add_flag("--warm", flags.warm,
               "make a warm cell first and run in it, as a service does; a cold one if no warm one fits")
      ->group("Wall");
  app.add_flag("--record", flags.record, "keep a record, to be looked at, replayed and audited later")
      ->group("Records");
  app.add_option("--approve", flags.approved_rules, "say yes to what this rule of the policy asks about; repeatable")
      ->type_name("RULE")
      ->allow_extra_args(false)
      ->group("Wall");
  add_data_flag(app, flags.data, "Records");
  add_repair_flags(app, repair);
  app.footer(kExamples);
  if (const auto status = parse(app, std::move(arguments)); status) {
    return *status;
  }

  std::optional<base::Fd> artifact_directory;
  if (!flags.artifact_directory.empty()) {
    auto opened = open_artifact_directory(flags.artifact_directory);
    if (!opened) {
      return flags.json ? print_json_error(opened.error()) : report(opened.error());
    }
    artifact_directory = std::move(*opened);
  }
  auto runner = make_runner(flags);
  if (!runner) {
    return flags.json ? print_json_error(runner.error()) : report(runner.error());
  }
  auto request = build_request(flags, (*runner)->languages());
  if (!request) {
    return flags.json ? print_json_error(request.error()) : report(request.error());
  }

  choose_cache(*request, flags);
  if (flags.warm) {
    prepare_warm_cell(**runner, *request, flags);
  }
  const engine::CancelToken token;
  LiveOutput live([&token] { token.cancel(); });
  runner::RunOptions run_options;
  run_options.cancel = &token;
  if (!flags.json && !repair.wanted()) {
    run_options.events = [&live](const contract::Event& event) { live.show(event); };
  }
  let_policy_ask(flags, *request, run_options);
  base::Status repair_told;
  const auto ended = [&]() -> base::Result<contract::RunResult> {
    const CancelOnSignals cancel(token);
    if (!repair.wanted()) {
      return (*runner)->run(*request, run_options);
    }
    runner::RetryReport repaired = TRY(run_repaired(**runner, *request, repair, run_options));
    repair_told = tell_repair(repaired, repair, flags.quiet);
    return std::move(repaired.attempts.back().result);
  }();
  if (!ended) {
    return flags.json ? print_json_error(ended.error()) : report(ended.error());
  }
  const contract::RunResult& result = *ended;
  // What was tried before the answer that counts is in the report.
  if ((result.cached || repair.wanted()) && !flags.json) {
    show_kept_output(live, result);
  }
  live.finish();

  SavedArtifacts saved;
  if (artifact_directory) {
    saved = save_artifacts(result, artifact_directory->get(), flags.overwrite);
  }
  int status = kExitOurs;
  if (flags.json) {
    status = print_json(result);
  } else {
    const int printed = live.failure() != 0 ? tell_output_failure(live.failure()) : print_value(result);
    // It was stopped because its output could not be written: that is what there is to tell.
    const bool stopped_by_us = live.failure() != 0 && result.outcome == contract::Outcome::cancelled;
    if (!stopped_by_us && (!flags.quiet || ours(result))) {
      print_summary(result, flags, artifact_directory ? &saved.paths : nullptr);
    }
    if (flags.record && !flags.quiet) {
      tell_record(**runner, result);
    }
    status = printed != 0 && live.failure() != EPIPE ? printed : exit_status(result);
  }
  for (const base::Error& failure : saved.failures) {
    status = report(failure);  // the run itself is told either way
  }
  return repair_told ? status : report(repair_told.error());
}

}  // namespace glovebox::cli

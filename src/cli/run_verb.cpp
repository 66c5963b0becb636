#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>

#include "cli/app.h"
#include "cli/live_output.h"
#include "cli/request_flags.h"
#include "cli/run_report.h"
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
    "  glovebox run --request request.json --json\n"
    "\n"
    "exit status: the program's own; 124 time limit, 126 denied or rejected, 130 cancelled,\n"
    "137 memory limit, 125 when Glovebox could not do its job. With --json: 0 unless we failed (125).\n";

// One run per process here, so a signal handler knows which one is meant; cancelling is a single write.
std::atomic<const engine::CancelToken*> interrupted_run{nullptr};

void on_signal(int signal) {
  if (const engine::CancelToken* token = interrupted_run.load(); token != nullptr) {
    token->cancel();
  }
  ::signal(signal, SIG_DFL);  // the second time it is meant for us
}

void catch_signals(const engine::CancelToken& token) {
  interrupted_run = &token;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    ::signal(signal, on_signal);
  }
}

void stop_catching_signals() {
  interrupted_run = nullptr;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    ::signal(signal, SIG_DFL);
  }
}

// A warm cell is faster, never different: without one the run is built cold.
void prepare_warm_cell(runner::Runner& runner, const contract::RunRequest& request, const RequestFlags& flags) {
  constexpr auto kPatience = std::chrono::seconds(60);
  if (const auto ready = runner.prepare(request, 1, kPatience); !ready && !flags.json && !flags.quiet) {
    std::fprintf(stderr, "glovebox: not warm: %s\n", ready.error().message.c_str());
  }
}

}  // namespace

int run_verb(Arguments arguments) {
  RequestFlags flags;
  CLI::App app("Runs a program in a sealed cell: no network, nothing of the host but /usr read-only, hard limits.",
               "glovebox run");
  add_request_flags(app, flags);
  app.add_flag("--json", flags.json, "print the result object of the contract and nothing else")->group("Answer");
  app.add_flag("-q,--quiet", flags.quiet, "no words of ours on stderr unless we failed")->group("Answer");
  app.add_flag("--warm", flags.warm,
               "make a warm cell first and run in it, as a service does; a cold one if no warm one fits")
      ->group("Wall");
  app.footer(kExamples);
  if (const auto status = parse(app, std::move(arguments)); status) {
    return *status;
  }

  auto runner = make_runner(flags);
  if (!runner) {
    return flags.json ? print_json_error(runner.error()) : report(runner.error());
  }
  auto request = build_request(flags, (*runner)->languages());
  if (!request) {
    return flags.json ? print_json_error(request.error()) : report(request.error());
  }

  if (flags.warm) {
    prepare_warm_cell(**runner, *request, flags);
  }
  const engine::CancelToken token;
  catch_signals(token);
  LiveOutput live([&token] { token.cancel(); });
  runner::RunOptions run_options;
  run_options.cancel = &token;
  if (!flags.json) {
    run_options.events = [&live](const contract::Event& event) { live.show(event); };
  }
  const contract::RunResult result = (*runner)->run(*request, run_options);
  stop_catching_signals();
  live.finish();

  base::Status saved;
  if (!flags.artifact_directory.empty()) {
    saved = save_artifacts(result, flags);
  }
  int status = kExitOurs;
  if (flags.json) {
    status = print_json(result);
  } else {
    print_value(result);
    if (!flags.quiet || ours(result)) {
      print_summary(result, flags);
    }
    status = exit_status(result);
  }
  return saved ? status : report(saved.error());  // the run itself is told either way
}

}  // namespace glovebox::cli

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>

#include "bench/bars.h"
#include "bench/bench.h"
#include "bench/report_json.h"
#include "bench/report_svg.h"
#include "bench/report_text.h"
#include "cli/app.h"
#include "cli/version.h"
#include "os/files.h"
#include "runner/config.h"

namespace glovebox::cli {
namespace {

constexpr int kExitMissed = 1;

constexpr const char* kBenchFooter =
    "workloads: pass, print, numpy, pandas, javascript, shell, output (1 MiB), artifacts (20 files), input (10 MiB)\n"
    "peers:     bare        the interpreter without any wall; what the ratios compare with\n"
    "           bare-s      python3 -S, which is what a cold cell starts\n"
    "           bubblewrap, runc, pyodide (npm package, see bench/pyodide/install.sh)\n"
    "           command     the whole `glovebox run`, from spawn to exit\n"
    "           cold, warm  Glovebox as a library: a cell built for the run, or one that waited\n"
    "           recorded    Glovebox as a library that keeps records, as the service does\n"
    "           http        Glovebox as a service: a warm cell, a record, and HTTP between; under load 32 connections\n"
    "modes:     sequential  latency, one run at a time, peers in turns\n"
    "           staggered   arrivals at a fixed rate, with the waiting in line\n"
    "           burst       many at the same moment: when has the last one ended?\n"
    "           sustained   runs per second on all cores, with the making of warm cells on the clock\n"
    "           memory      private memory of a waiting warm cell\n"
    "           policy      deciding on a program of 50 lines in each language, reading included\n"
    "           endurance   100,000 runs: memory, descriptors, groups and mounts must stay flat (only when asked for)\n"
    "\n"
    "examples:\n"
    "  glovebox bench                                  everything but endurance, about ten minutes\n"
    "  glovebox bench --quick --check                  a first look, judged\n"
    "  glovebox bench --workload print --peer bare,warm --mode sequential --rounds 2000\n"
    "  glovebox bench --mode endurance --check\n"
    "  glovebox bench --json bench.json --svg bench.svg\n"
    "\n"
    "Every run's answer is checked; a wrong one is a failed run. Ratios within one run of the benchmark can be "
    "compared\n"
    "between machines, times cannot. Close everything else first: CPU time is that of the whole machine.\n"
    "\n"
    "exit status: 0; with --check 1 when a bar is missed; 130 interrupted; 125 when it could not be done\n";

std::atomic<bool> stop{false};

// The first signal asks for an orderly end. A later one is meant for us; but `timeout` and shells send one to the
// process and to its group, which is still the first.
void on_bench_signal(int signal) {
  static std::atomic<time_t> first{0};
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  time_t expected = 0;
  if (!first.compare_exchange_strong(expected, now.tv_sec) && now.tv_sec - expected > 1) {
    ::signal(signal, SIG_DFL);
    ::raise(signal);
  }
  stop = true;
}

// One line that replaces itself on a terminal, one line per change elsewhere.
class ProgressLine {
 public:
  void show(const std::string& what, std::size_t done, std::size_t total) {
    std::string line = what;
    if (terminal_ && total > 0) {
      line += ": " + std::to_string(done) + " of " + std::to_string(total);
    }
    if (line == last_) {
      return;
    }
    last_ = line;
    std::fprintf(stderr, terminal_ ? "\r\033[K%s" : "%s\n", line.c_str());
    std::fflush(stderr);
  }
  void clear() const {
    if (terminal_) {
      std::fputs("\r\033[K", stderr);
    }
  }

 private:
  bool terminal_ = ::isatty(STDERR_FILENO) == 1;
  std::string last_;
};

// Before minutes of measuring, not after.
base::Status check_writable(const std::string& file) {
  if (file.empty()) {
    return {};
  }
  const std::string parent = std::filesystem::absolute(file).parent_path();
  if (::access(parent.c_str(), W_OK) != 0) {
    return base::fail(base::errno_error(base::ErrorCode::invalid_request, "bench", "cannot write into " + parent));
  }
  return {};
}

base::Status save(const std::string& file, const std::string& text) {
  return file.empty() ? base::Status() : os::replace_file(file, text);
}

}  // namespace

int bench_verb(Arguments arguments) {
  bench::Options options;
  options.version = kVersion;
  options.command = "glovebox bench";
  for (const std::string& word : arguments) {
    options.command += " " + word;
  }
  std::error_code problem;
  options.glovebox = std::filesystem::read_symlink("/proc/self/exe", problem);

  CLI::App app(
      "Measures Glovebox beside a bare interpreter, bubblewrap, runc and Pyodide on this machine: in one run, peers in "
      "turns.",
      "glovebox bench");
  bool quick = false;
  bool check = false;
  std::string json_file;
  std::string svg_file;
  app.add_flag("--quick", quick, "fewer rounds, shorter slices: under a minute per mode, and noisier")->group("What");
  app.add_option("--workload", options.workloads,
                 "which programs, separated by commas (default: all; load modes: print)")
      ->delimiter(',')
      ->group("What");
  app.add_option("--peer", options.peers, "which ways of running them (default: all)")->delimiter(',')->group("What");
  app.add_option("--mode", options.modes, "which ways of asking (default: all but endurance)")
      ->delimiter(',')
      ->group("What");
  app.add_option("--rounds", options.rounds, "of the sequential mode (default: 30 to 400, by workload)")
      ->check(CLI::PositiveNumber)
      ->group("What");
  app.add_option("--burst", options.burst, "runs in a burst (100)")->check(CLI::PositiveNumber)->group("What");
  app.add_option("--endurance-runs", options.endurance_runs, "runs of the endurance mode (100000)")
      ->check(CLI::PositiveNumber)
      ->group("What");
  app.add_option("--pyodide", options.pyodide,
                 "where bench/pyodide/install.sh has put it (default: build/bench-pyodide)")
      ->group("What");
  app.add_flag("--check", check, "judge the bars; exit status 1 when one is missed")->group("Answer");
  app.add_option("--json", json_file, "write everything into this file")->group("Answer");
  app.add_option("--svg", svg_file, "write a plot into this file")->group("Answer");
  app.footer(kBenchFooter);
  if (const auto status = parse(app, std::move(arguments)); status) {
    return *status;
  }
  options.effort = quick ? bench::Effort::quick : bench::Effort::full;
  options.stop = &stop;
  for (const std::string& file : {json_file, svg_file}) {
    if (const auto writable = check_writable(file); !writable) {
      return report(writable.error());
    }
  }
  const auto config = runner::load_config(runner::default_config_files());
  if (!config) {
    return report(config.error());
  }
  options.degraded = config->degraded;

  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    ::signal(signal, on_bench_signal);
  }
  ProgressLine progress;
  const auto measured = bench::run_bench(
      options, [&](const std::string& what, std::size_t done, std::size_t total) { progress.show(what, done, total); });
  progress.clear();
  if (!measured) {
    const bool interrupted = measured.error().code == base::ErrorCode::cancelled;
    const int status = report(measured.error());
    return interrupted ? kExitCancelled : status;
  }
  std::fputs(bench::report_text(*measured).c_str(), stdout);
  if (check) {
    std::fputs(bench::bars_text(measured->bars).c_str(), stdout);
  }
  for (const auto& saved :
       {save(json_file, bench::report_json(*measured)), save(svg_file, bench::report_svg(*measured))}) {
    if (!saved) {
      return report(saved.error());
    }
  }
  return check && bench::any_missed(measured->bars) ? kExitMissed : 0;
}

}  // namespace glovebox::cli

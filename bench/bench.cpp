#include "bench/bench.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "bench/bars.h"
#include "bench/command_peer.h"
#include "bench/http_peer.h"
#include "bench/library_peer.h"
#include "os/files.h"

namespace glovebox::bench {
namespace {

using base::Result;
using runner::Runner;

std::string now_utc() {
  std::array<char, 32> text{};
  const time_t now = ::time(nullptr);
  tm parts{};
  ::gmtime_r(&now, &parts);
  return std::string(text.data(), ::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts));
}

// Where bench/pyodide/install.sh puts it: build/bench-pyodide, seen from build/release/bin/glovebox or from the
// sources.
std::string find_pyodide(const Options& options) {
  const std::string program_directory = std::filesystem::path(options.glovebox).parent_path();
  for (const std::string& place :
       {options.pyodide, program_directory + "/../../bench-pyodide", std::string("build/bench-pyodide")}) {
    if (!place.empty() && os::path_exists(place + "/node_modules/pyodide/pyodide.mjs") &&
        os::path_exists(place + "/run.mjs")) {
      return std::filesystem::absolute(place).lexically_normal();
    }
  }
  return "";
}

struct Runners {
  Result<std::unique_ptr<Runner>> cold;
  Result<std::unique_ptr<Runner>> warm;
  Result<std::unique_ptr<server::Service>> service;
};

Result<std::unique_ptr<Runner>> make_runner(const Options& options, Cells cells) {
  runner::RunnerOptions chosen = runner::default_runner_options();
  chosen.engine.degraded = options.degraded ? engine::DegradedMode::allow : engine::DegradedMode::refuse;
  chosen.engine.pool.enabled = cells == Cells::warm;
  return Runner::create(std::move(chosen));
}

Result<std::unique_ptr<server::Service>> make_service(const Options& options, const std::string& scratch) {
  server::ServiceOptions chosen;
  chosen.runner = runner::default_runner_options();
  chosen.runner.engine.degraded = options.degraded ? engine::DegradedMode::allow : engine::DegradedMode::refuse;
  chosen.runner.engine.pool.enabled = true;
  chosen.settings.serve.listen = {"127.0.0.1:0"};
  chosen.data_directory = scratch + "/service";
  chosen.version = options.version;
  return server::Service::start(std::move(chosen));
}

// Two Runners in one process have to share a place for groups: on a cgroup2 host the first one makes that place by
// moving this process into a leaf, where a second one would find the first one's launcher in its way.
Runners make_runners(const Options& options, const std::string& scratch) {
  auto cold = make_runner(options, Cells::cold);
  if (cold && !(*cold)->engine().cgroup_site().unified.empty()) {
    ::setenv("GLOVEBOX_CGROUP", (*cold)->engine().cgroup_site().unified.c_str(), 1);
  }
  auto warm = make_runner(options, Cells::warm);
  auto service = options.wants_peer("http") || options.wants_peer("recorded")
                     ? make_service(options, scratch)
                     : base::fail(base::ErrorCode::unsupported, "not asked for");
  return {std::move(cold), std::move(warm), std::move(service)};
}

std::vector<std::unique_ptr<Peer>> make_peers(const Options& options, const Runners& runners,
                                              const std::string& scratch) {
  CommandSurroundings surroundings;
  surroundings.scratch = scratch;
  surroundings.glovebox = options.glovebox;
  surroundings.pyodide = find_pyodide(options);
  surroundings.cgroup = runners.cold ? (*runners.cold)->engine().cgroup_site().unified : "";
  std::vector<std::unique_ptr<Peer>> peers = command_peers(surroundings);
  const auto add = [&](const char* id, const char* title, const Result<std::unique_ptr<Runner>>& runner, Cells cells) {
    peers.push_back(runner ? library_peer(id, title, **runner, cells)
                           : missing_peer(id, title, base::describe(runner.error())));
  };
  add("cold", "glovebox cold", runners.cold, Cells::cold);
  add("warm", "glovebox warm", runners.warm, Cells::warm);
  if (runners.service) {
    // The service's own runner, called without HTTP.
    peers.push_back(library_peer("recorded", "glovebox recorded", (*runners.service)->runner(), Cells::warm));
    peers.push_back(http_peer("http", "glovebox serve", **runners.service));
  } else {
    const std::string why = base::describe(runners.service.error());
    peers.push_back(missing_peer("recorded", "glovebox recorded", why));
    peers.push_back(missing_peer("http", "glovebox serve", why));
  }
  return peers;
}

void choose_workloads(Session& session) {
  const auto& asked = session.options.workloads;
  for (const Workload& workload : all_workloads()) {
    const bool named = std::find(asked.begin(), asked.end(), workload.id) != asked.end();
    if (asked.empty() || named) {
      session.workloads.push_back(&workload);
      session.report.workloads.push_back({workload.id, workload.title});
    }
    if (named || (asked.empty() && workload.id == "print")) {
      session.load_workloads.push_back(&workload);
    }
  }
}

}  // namespace

Result<Report> run_bench(const Options& options, const Progress& progress) {
  TRY_STATUS(check_options(options));
  const WorkDirectory scratch = TRY(WorkDirectory::create(std::filesystem::temp_directory_path()));
  const Runners runners = make_runners(options, scratch.path());
  const auto peers = make_peers(options, runners, scratch.path());

  Report report;
  report.version = options.version;
  report.command = options.command;
  report.started = now_utc();
  report.machine = machine_facts();
  Session session{options, {}, {}, {}, nullptr, progress, report};
  for (const auto& peer : peers) {
    if (options.wants_peer(peer->id())) {
      report.peers.push_back({peer->id(), peer->title(), peer->missing()});
      if (peer->missing().empty()) {
        session.peers.push_back(peer.get());
      }
    }
  }
  if (options.wants_peer("warm") && runners.warm) {
    session.warm_runner = runners.warm->get();
  }
  choose_workloads(session);
  progress("listening to the machine", 0, 0);
  report.background_busy_percent = background_busy_percent(std::chrono::milliseconds(options.quick() ? 500 : 2000));

  struct Mode {
    const char* name;
    void (*measure)(Session&);
  };
  constexpr std::array kModes = {
      Mode{"policy", measure_policy},  // first, while no pool makes cells beside it
      Mode{"memory", measure_memory},  // while nothing but what it asks for is waiting
      Mode{"sequential", measure_sequential}, Mode{"staggered", measure_staggered}, Mode{"burst", measure_burst},
      Mode{"sustained", measure_sustained},   Mode{"endurance", measure_endurance},
  };
  for (const Mode& mode : kModes) {
    if (options.wants_mode(mode.name) && !session.stopped()) {
      mode.measure(session);
    }
  }
  if (session.stopped()) {
    return base::fail(base::ErrorCode::cancelled, "the benchmark was interrupted");
  }
  if (session.warm_runner != nullptr) {
    report.pool = session.warm_runner->pool_metrics();
  }
  report.bars = judge(report);
  return report;
}

}  // namespace glovebox::bench

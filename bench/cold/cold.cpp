// bench-cold: what does a cold sealed `python3 -c pass` cost, beside the same program bare, under bubblewrap and in
// runc?
//
// All of them are measured in one run and interleaved, one after the other in every round, so that noise of the machine
// hits all alike. What counts is the extra cost over the bare interpreter, as medians. "glovebox library" is
// Runner::run in this process (the launcher is there already, the cell is built cold); "glovebox run" is the whole
// command, from spawn to exit.
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/cleanup.h"
#include "peers.h"
#include "runner/runner.h"

namespace glovebox::bench {
namespace {

constexpr const char* kLibrary = "glovebox library";
constexpr const char* kCommand = "glovebox run (whole program)";
constexpr double kBarMs = 3.0;

struct Series {
  std::string name;
  std::vector<double> ms;
  std::string skipped;

  [[nodiscard]] double at(double quantile) const {
    std::vector<double> sorted = ms;
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<std::size_t>(quantile * static_cast<double>(sorted.size() - 1))];
  }
  [[nodiscard]] bool measured() const { return skipped.empty() && !ms.empty(); }
};

std::optional<double> time_library(runner::Runner& runner, std::map<std::string, std::vector<double>>& stages) {
  contract::RunRequest request;
  request.code = "pass";
  const auto start = std::chrono::steady_clock::now();
  const contract::RunResult result = runner.run(request);
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (!result.success) {
    return std::nullopt;
  }
  for (const auto& [stage, spent] : result.metrics.stages) {
    stages[stage].push_back(spent);
  }
  return ms;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

const Series* find(const std::vector<Series>& all, std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Series& series) { return series.name == name; });
  return found != all.end() && found->measured() ? &*found : nullptr;
}

int report(const std::vector<Series>& all, const std::map<std::string, std::vector<double>>& stages,
           const std::string& json_file) {
  const Series* bare = find(all, "bare python3");
  const Series* bubblewrap = find(all, "bubblewrap");
  const Series* library = find(all, kLibrary);
  const Series* command = find(all, kCommand);
  if (bare == nullptr || library == nullptr || command == nullptr) {
    fmt::print(stderr, "bench-cold: a run failed; try `glovebox doctor`\n");
    return 1;
  }
  nlohmann::ordered_json json;
  fmt::print("{:<32}{:>10}{:>10}{:>10}{:>14}\n", "python3 -c pass, milliseconds", "p50", "p95", "min", "extra (p50)");
  for (const Series& series : all) {
    if (!series.measured()) {
      fmt::print("{:<32}skipped: {}\n", series.name, series.skipped);
      continue;
    }
    const double extra = series.at(0.5) - bare->at(0.5);
    fmt::print("{:<32}{:>10.2f}{:>10.2f}{:>10.2f}{:>+14.2f}\n", series.name, series.at(0.5), series.at(0.95),
               series.at(0), extra);
    json["series"].push_back({{"name", series.name},
                              {"runs", series.ms.size()},
                              {"p50_ms", series.at(0.5)},
                              {"p95_ms", series.at(0.95)},
                              {"min_ms", series.at(0)},
                              {"extra_p50_ms", extra}});
  }
  fmt::print("\nstages of a library run, median milliseconds:");
  for (const auto& [stage, values] : stages) {
    fmt::print(" {} {:.2f}", stage, median(values));
    json["stages_ms"][stage] = median(values);
  }
  fmt::print("\n\n");
  bool met = true;
  const auto judge = [&](const Series& series) {
    const double extra = series.at(0.5) - bare->at(0.5);
    const bool under_bar = extra <= kBarMs;
    const bool under_peer = bubblewrap == nullptr || extra < bubblewrap->at(0.5) - bare->at(0.5);
    fmt::print("{}: at most {} ms more than bare: {}; less extra than bubblewrap: {}\n", series.name, kBarMs,
               under_bar ? "yes" : "NO",
               bubblewrap == nullptr ? "not measured"
               : under_peer          ? "yes"
                                     : "NO");
    met = met && under_bar && under_peer;
  };
  judge(*library);
  judge(*command);
  json["bars_met"] = met;
  if (!json_file.empty()) {
    std::ofstream(json_file) << json.dump(2) << "\n";
  }
  return met ? 0 : 2;
}

int run(int rounds, const std::string& glovebox, const std::string& json_file) {
  std::string scratch = std::filesystem::temp_directory_path() / "glovebox-bench-XXXXXX";
  if (::mkdtemp(scratch.data()) == nullptr) {
    return 1;
  }
  const base::Cleanup remove([&] { std::filesystem::remove_all(scratch); });
  const std::vector<Peer> peers = find_peers(glovebox, scratch);
  auto runner = runner::Runner::create(runner::default_runner_options());
  if (!runner) {
    fmt::print(stderr, "bench-cold: {}\n", base::describe(runner.error()));
    return 1;
  }
  std::vector<Series> all = {{kLibrary, {}, ""}};
  for (const Peer& peer : peers) {
    all.push_back({peer.name, {}, peer.skipped});
  }
  std::map<std::string, std::vector<double>> stages;
  constexpr int kWarmUp = 5;
  for (int round = -kWarmUp; round < rounds; ++round) {
    for (std::size_t index = 0; index < all.size(); ++index) {
      if (!all[index].skipped.empty()) {
        continue;
      }
      const auto ms = index == 0 ? time_library(**runner, stages) : time_command(peers[index - 1].command);
      if (!ms) {
        all[index].skipped = "it failed";
      } else if (round >= 0) {
        all[index].ms.push_back(*ms);
      }
    }
    if (::isatty(STDERR_FILENO) == 1) {
      fmt::print(stderr, "\rround {} of {} ", round + 1, rounds);
    }
  }
  if (::isatty(STDERR_FILENO) == 1) {
    fmt::print(stderr, "\r{:30}\r", "");
  }
  return report(all, stages, json_file);
}

}  // namespace
}  // namespace glovebox::bench

int main(int argc, char** argv) {
  const std::string here = std::filesystem::canonical("/proc/self/exe").parent_path();
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 200;
  if (rounds <= 0) {
    fmt::print(stderr, "usage: bench-cold [ROUNDS] [JSON_FILE]\n");
    return 1;
  }
  return glovebox::bench::run(rounds, here + "/glovebox", argc > 2 ? argv[2] : "");
}

#include "bench/options.h"

#include <algorithm>

namespace glovebox::bench {
namespace {

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

base::Status check_names(const std::vector<std::string>& given, const std::vector<std::string>& known,
                         const char* what) {
  for (const std::string& name : given) {
    if (!has(known, name)) {
      std::string all;
      for (const std::string& each : known) {
        all += (all.empty() ? "" : ", ") + each;
      }
      return base::fail(
          base::make_error(base::ErrorCode::invalid_request, std::string("there is no ") + what + " \"" + name + "\"")
              .with_hint("choose from: " + all));
    }
  }
  return {};
}

}  // namespace

bool Options::wants_mode(std::string_view name) const { return modes.empty() ? name != "endurance" : has(modes, name); }

bool Options::wants_peer(std::string_view id) const { return peers.empty() || has(peers, id); }

int Options::rounds_of(const Workload& workload) const {
  if (rounds > 0) {
    return rounds;
  }
  return quick() ? workload.quick_rounds : workload.rounds;
}

const std::vector<std::string>& mode_names() {
  static const std::vector<std::string> names = {"sequential", "staggered", "burst",    "sustained",
                                                 "memory",     "policy",    "endurance"};
  return names;
}

const std::vector<std::string>& peer_ids() {
  static const std::vector<std::string> ids = {"bare",    "bare-s", "bubblewrap", "runc",     "pyodide",
                                               "command", "cold",   "warm",       "recorded", "http"};
  return ids;
}

base::Status check_options(const Options& options) {
  std::vector<std::string> workload_ids;
  for (const Workload& workload : all_workloads()) {
    workload_ids.push_back(workload.id);
  }
  TRY_STATUS(check_names(options.workloads, workload_ids, "workload"));
  TRY_STATUS(check_names(options.peers, peer_ids(), "peer"));
  TRY_STATUS(check_names(options.modes, mode_names(), "mode"));
  constexpr std::size_t kMostAtOnce = 1000;
  if (options.burst == 0 || options.burst > kMostAtOnce) {
    return base::fail(base::ErrorCode::invalid_request, "a burst has 1 to 1000 runs");
  }
  constexpr std::size_t kSamples = 10;
  if (options.endurance_runs < kSamples) {
    return base::fail(base::ErrorCode::invalid_request, "endurance needs at least ten runs");
  }
  return {};
}

}  // namespace glovebox::bench

#include <algorithm>

#include "bench/modes.h"

namespace glovebox::bench {

std::vector<Peer*> Session::able_peers(const char* mode, const Workload& workload) const {
  std::vector<Peer*> able;
  for (Peer* peer : peers) {
    if (std::string reason = peer->cannot_run(workload); reason.empty()) {
      able.push_back(peer);
    } else {
      leave_out(mode, workload, *peer, std::move(reason));
    }
  }
  return able;
}

void Session::leave_out(const char* mode, const Workload& workload, const Peer& peer, std::string reason) const {
  report.left_out.push_back({mode, workload.id, peer.id(), std::move(reason)});
}

bool takes_load(const Peer& peer) { return peer.id() != "bare-s" && peer.id() != "command"; }

double typical_ms(Peer& peer, const Workload& workload) {
  constexpr int kRuns = 3;
  double best = 0;
  for (int run = 0; run < kRuns; ++run) {
    (void)peer.make_ready(workload, 1);
    const double ms = time_run(peer, workload).ms();
    best = best == 0 ? ms : std::min(best, ms);
  }
  peer.settle();
  return best;
}

void count(Tally& tally, const Verdict& verdict) {
  if (verdict.problem.empty()) {
    tally.warm_runs += verdict.warm ? 1U : 0U;
    return;
  }
  ++tally.failures;
  if (tally.first_problem.empty()) {
    tally.first_problem = verdict.problem;
  }
}

void Samples::add(const TimedRun& run, double ms) {
  count(tally_, run.verdict);
  if (!run.verdict.problem.empty()) {
    return;
  }
  ms_.push_back(ms);
  for (const auto& [stage, spent] : run.verdict.stages) {
    stages_[stage].push_back(spent);
  }
}

void Samples::add(const Samples& other) {
  ms_.insert(ms_.end(), other.ms_.begin(), other.ms_.end());
  for (const auto& [stage, spent] : other.stages_) {
    stages_[stage].insert(stages_[stage].end(), spent.begin(), spent.end());
  }
  tally_.failures += other.tally_.failures;
  tally_.warm_runs += other.tally_.warm_runs;
  if (tally_.first_problem.empty()) {
    tally_.first_problem = other.tally_.first_problem;
  }
}

std::map<std::string, double> Samples::stage_medians() const {
  std::map<std::string, double> medians;
  for (const auto& [stage, spent] : stages_) {
    medians[stage] = median(spent);
  }
  return medians;
}

}  // namespace glovebox::bench

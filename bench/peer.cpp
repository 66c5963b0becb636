#include "bench/peer.h"

namespace glovebox::bench {

TimedRun time_planned(PlannedRun& run) {
  TimedRun timed;
  timed.start = std::chrono::steady_clock::now();
  run.execute();
  timed.end = std::chrono::steady_clock::now();
  timed.verdict = run.verdict();
  return timed;
}

TimedRun time_run(Peer& peer, const Workload& workload) {
  const auto run = peer.plan(workload);
  if (!run) {
    TimedRun failed;
    failed.verdict.problem = run.error().message;
    return failed;
  }
  return time_planned(**run);
}

}  // namespace glovebox::bench

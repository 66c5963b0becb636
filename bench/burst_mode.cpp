#include <latch>
#include <mutex>
#include <thread>

#include "base/stopwatch.h"

#include "bench/modes.h"

namespace glovebox::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct BurstOutcome {
  Samples samples;
  double last_end_ms = 0;
};

BurstOutcome one_burst(Peer& peer, const Workload& workload, std::size_t size) {
  std::latch planned(static_cast<std::ptrdiff_t>(size));
  std::latch start(1);
  Clock::time_point origin;
  std::mutex mutex;
  BurstOutcome outcome;
  const auto work = [&] {
    const auto run = peer.plan(workload);
    planned.count_down();
    start.wait();
    TimedRun timed;
    if (run) {
      timed = time_planned(**run);
    } else {
      timed.end = Clock::now();
      timed.verdict.problem = run.error().message;
    }
    const std::lock_guard lock(mutex);
    outcome.samples.add(timed, base::to_ms(timed.end - origin));
    outcome.last_end_ms = std::max(outcome.last_end_ms, base::to_ms(timed.end - origin));
  };
  std::vector<std::jthread> threads;
  threads.reserve(size);
  for (std::size_t index = 0; index < size; ++index) {
    threads.emplace_back(work);
  }
  planned.wait();
  origin = Clock::now();
  start.count_down();
  threads.clear();
  return outcome;
}

}  // namespace

void measure_burst(Session& session) {
  constexpr double kMostMs = 10'000;
  for (const Workload* workload : session.load_workloads) {
    std::vector<Peer*> able;
    for (Peer* peer : session.able_peers("burst", *workload)) {
      if (!takes_load(*peer) || session.stopped()) {
        continue;
      }
      const double expected_ms =
          typical_ms(*peer, *workload) * static_cast<double>(session.options.burst) / session.workers();
      if (expected_ms > kMostMs) {
        session.leave_out("burst", *workload, *peer, "one burst would take more than ten seconds");
      } else {
        able.push_back(peer);
      }
    }
    const std::size_t repeats = session.options.quick() ? 1 : 3;
    std::map<Peer*, Samples> samples;
    std::map<Peer*, std::vector<double>> ends;
    for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
      for (Peer* peer : able) {
        if (session.stopped()) {
          return;
        }
        session.progress("burst of " + std::to_string(session.options.burst) + " " + workload->id + " on " + peer->id(),
                         repeat, repeats);
        (void)peer->make_ready(*workload, 1);
        peer->settle();
        const BurstOutcome outcome = one_burst(*peer, *workload, session.options.burst);
        samples[peer].add(outcome.samples);
        ends[peer].push_back(outcome.last_end_ms);
        peer->settle();
      }
    }
    for (Peer* peer : able) {
      session.report.burst.push_back({workload->id, peer->id(), session.options.burst, repeats, median(ends[peer]),
                                      samples[peer].latency(), samples[peer].tally()});
    }
  }
}

}  // namespace glovebox::bench

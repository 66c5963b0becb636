#include <mutex>
#include <thread>

#include "base/stopwatch.h"

#include "bench/modes.h"

namespace glovebox::bench {
namespace {

using Clock = std::chrono::steady_clock;

Samples staggered_slice(Session& session, Peer& peer, const Workload& workload, Clock::duration interval,
                        std::size_t arrivals) {
  const std::size_t workers = std::max<std::size_t>(8, session.workers() * 4UL);
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  Samples samples;
  const auto origin = Clock::now() + std::chrono::milliseconds(5);
  const auto work = [&] {
    Samples own;
    for (std::size_t index = next++; index < arrivals && !session.stopped(); index = next++) {
      const auto due = origin + interval * static_cast<Clock::rep>(index);
      std::this_thread::sleep_until(due);
      const TimedRun run = time_run(peer, workload);
      own.add(run, base::to_ms(run.end - due));
    }
    const std::lock_guard lock(mutex);
    samples.add(own);
  };
  std::vector<std::jthread> threads;
  for (std::size_t worker = 0; worker < workers; ++worker) {
    threads.emplace_back(work);
  }
  threads.clear();
  return samples;
}

}  // namespace

void measure_staggered(Session& session) {
  constexpr double kBareLoad = 0.4;
  constexpr double kMostLoad = 0.9;
  for (const Workload* workload : session.load_workloads) {
    double interval_ms = 0;
    std::vector<Peer*> able;
    for (Peer* peer : session.able_peers("staggered", *workload)) {
      if (!takes_load(*peer) || session.stopped()) {
        continue;
      }
      const double typical = typical_ms(*peer, *workload);
      if (peer->id() == "bare") {
        interval_ms = typical / (kBareLoad * session.workers());
      }
      if (interval_ms == 0) {
        session.leave_out("staggered", *workload, *peer, "the rate is set by the peer \"bare\", which is not there");
      } else if (typical / (interval_ms * session.workers()) > kMostLoad) {
        session.leave_out("staggered", *workload, *peer, "it cannot keep up with the rate");
      } else {
        able.push_back(peer);
      }
    }
    const double slice_ms = std::max(session.options.quick() ? 1500.0 : 3000.0, interval_ms * 20);
    const int slices = session.options.quick() ? 1 : 2;
    const auto interval =
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double, std::milli>(interval_ms));
    std::map<Peer*, Samples> samples;
    for (int slice = 0; slice < slices; ++slice) {
      for (Peer* peer : able) {
        session.progress("staggered " + workload->id + " on " + peer->id(), 0, 0);
        peer->settle();
        samples[peer].add(
            staggered_slice(session, *peer, *workload, interval, static_cast<std::size_t>(slice_ms / interval_ms)));
      }
    }
    for (Peer* peer : able) {
      StaggeredRow row;
      row.row.workload = workload->id;
      row.row.peer = peer->id();
      row.row.latency_ms = samples[peer].latency();
      row.row.tally = samples[peer].tally();
      row.interval_ms = interval_ms;
      session.report.staggered.push_back(std::move(row));
    }
  }
}

}  // namespace glovebox::bench

#include <algorithm>
#include <cmath>

#include "bench/modes.h"

namespace glovebox::bench {
namespace {

using Clock = std::chrono::steady_clock;

// A peer that takes many times as long as the bare interpreter joins only every so many rounds.
constexpr double kSlow = 5;
constexpr int kRarest = 40;

struct Participant {
  Peer* peer = nullptr;
  Samples samples;
  double typical_ms = 0;  // of the warm-up rounds
  int every = 1;          // takes part in every so manieth round
  double cpu_ms = 0;
  double refill_cpu_ms = 0;
  std::size_t cpu_runs = 0;
};

TimedRun one_run(Peer& peer, const Workload& workload) {
  if (auto ready = peer.make_ready(workload, 1); !ready) {
    TimedRun failed;
    failed.verdict.problem = "no warm cell: " + ready.error().message;
    return failed;
  }
  TimedRun run = time_run(peer, workload);
  peer.settle();
  return run;
}

void warm_up(Session& session, const Workload& workload, std::vector<Participant>& all) {
  const int rounds = session.options.quick() ? 2 : 4;
  for (Participant& each : all) {
    for (int round = 0; round < rounds && !session.stopped(); ++round) {
      session.progress(workload.id + ": warm-up of " + each.peer->id(), 0, 0);
      const double ms = one_run(*each.peer, workload).ms();
      each.typical_ms = each.typical_ms == 0 ? ms : std::min(each.typical_ms, ms);
    }
  }
  const double reference = all.front().typical_ms;
  for (Participant& each : all) {
    if (reference > 0 && each.typical_ms > kSlow * reference) {
      each.every = std::clamp(static_cast<int>(std::ceil(each.typical_ms / (kSlow * reference))), 1, kRarest);
    }
  }
}

void measure_rounds(Session& session, const Workload& workload, std::vector<Participant>& all) {
  const int rounds = session.options.rounds_of(workload);
  for (int round = 0; round < rounds && !session.stopped(); ++round) {
    session.progress(workload.id, static_cast<std::size_t>(round), static_cast<std::size_t>(rounds));
    for (std::size_t turn = 0; turn < all.size() && !session.stopped(); ++turn) {
      Participant& each = all[(turn + static_cast<std::size_t>(round)) % all.size()];
      if (round % each.every == 0) {
        each.samples.add(one_run(*each.peer, workload));
      }
    }
  }
}

double refill_total(const Peer& peer) {
  double total = 0;
  if (const auto pool = peer.pool(); pool) {
    for (const auto& [name, kind] : pool->kinds) {
      total += kind.refill_cpu_ms_total;
    }
  }
  return total;
}

// Batches long enough for a clock that ticks every 10 ms; each peer has two of them, in the order forth and back.
void measure_cpu(Session& session, const Workload& workload, std::vector<Participant>& all) {
  const auto batch = std::chrono::milliseconds(session.options.quick() ? 250 : 700);
  const int passes = session.options.quick() ? 1 : 2;
  for (int pass = 0; pass < passes; ++pass) {
    for (std::size_t turn = 0; turn < all.size() && !session.stopped(); ++turn) {
      Participant& each = all[pass == 0 ? turn : all.size() - 1 - turn];
      session.progress(workload.id + ": CPU time of " + each.peer->id(), 0, 0);
      each.peer->settle();
      const double refill_before = refill_total(*each.peer);
      const double busy_before = busy_cpu_ms();
      const auto end = Clock::now() + batch;
      do {
        (void)one_run(*each.peer, workload);
        ++each.cpu_runs;
      } while (Clock::now() < end && !session.stopped());
      each.cpu_ms += busy_cpu_ms() - busy_before;
      each.refill_cpu_ms += refill_total(*each.peer) - refill_before;
    }
  }
}

}  // namespace

void measure_sequential(Session& session) {
  for (const Workload* workload : session.workloads) {
    std::vector<Participant> all;
    for (Peer* peer : session.able_peers("sequential", *workload)) {
      all.push_back({peer, {}, 0, 1, 0, 0, 0});
    }
    if (all.empty() || session.stopped()) {
      continue;
    }
    warm_up(session, *workload, all);
    measure_rounds(session, *workload, all);
    measure_cpu(session, *workload, all);
    for (const Participant& each : all) {
      LatencyRow row;
      row.workload = workload->id;
      row.peer = each.peer->id();
      row.latency_ms = each.samples.latency();
      row.tally = each.samples.tally();
      row.stages_ms = each.samples.stage_medians();
      if (each.cpu_runs > 0) {
        row.cpu_ms_per_run = each.cpu_ms / static_cast<double>(each.cpu_runs);
        if (each.peer->pool()) {
          row.refill_cpu_ms_per_run = each.refill_cpu_ms / static_cast<double>(each.cpu_runs);
        }
      }
      session.report.sequential.push_back(std::move(row));
    }
  }
}

}  // namespace glovebox::bench

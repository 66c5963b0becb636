#include <algorithm>
#include <mutex>
#include <thread>

#include "base/stopwatch.h"

#include "bench/modes.h"

namespace glovebox::bench {
namespace {

using Clock = std::chrono::steady_clock;

std::uint32_t idle_cells(const Peer& peer) {
  std::uint32_t idle = 0;
  if (const auto metrics = peer.pool(); metrics) {
    for (const auto& [name, kind] : metrics->kinds) {
      idle += kind.idle;
    }
  }
  return idle;
}

// Every kind has as many cells as the pool wants to keep of it by now, which can be fewer than at the start.
bool is_full(const Peer& peer) {
  const auto metrics = peer.pool();
  return !metrics || std::all_of(metrics->kinds.begin(), metrics->kinds.end(),
                                 [](const auto& kind) { return kind.second.idle >= kind.second.target; });
}

// On the clock: a stock that was used up has to come back.
void wait_for_stock(const Peer& peer, std::uint32_t cells) {
  const auto deadline = Clock::now() + std::chrono::seconds(10);
  while (idle_cells(peer) < cells && !is_full(peer) && Clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

struct SliceTotals {
  Samples samples;
  double seconds = 0;
  double cpu_ms = 0;
};

void sustained_slice(Session& session, Peer& peer, const Workload& workload, Clock::duration length,
                     SliceTotals& totals) {
  peer.settle();
  const std::uint32_t stock = idle_cells(peer);
  std::mutex mutex;
  const double busy_before = busy_cpu_ms();
  const auto origin = Clock::now();
  const auto work = [&] {
    Samples own;
    while (Clock::now() - origin < length && !session.stopped()) {
      own.add(time_run(peer, workload));
    }
    const std::lock_guard lock(mutex);
    totals.samples.add(own);
  };
  std::vector<std::jthread> threads;
  for (unsigned worker = 0; worker < peer.load_workers(session.workers()); ++worker) {
    threads.emplace_back(work);
  }
  threads.clear();
  wait_for_stock(peer, stock);
  totals.seconds += base::ms_since(origin) / 1000;
  totals.cpu_ms += busy_cpu_ms() - busy_before;
}

}  // namespace

void measure_sustained(Session& session) {
  const auto length = std::chrono::milliseconds(session.options.quick() ? 1000 : 2500);
  const int slices = session.options.quick() ? 2 : 3;
  for (const Workload* workload : session.load_workloads) {
    std::vector<Peer*> able;
    for (Peer* peer : session.able_peers("sustained", *workload)) {
      if (!takes_load(*peer) || session.stopped()) {
        continue;
      }
      if (typical_ms(*peer, *workload) * 4 > static_cast<double>(length.count())) {
        session.leave_out("sustained", *workload, *peer, "one run takes too much of a slice");
      } else {
        able.push_back(peer);
      }
    }
    std::map<Peer*, SliceTotals> totals;
    for (int slice = 0; slice < slices; ++slice) {
      for (Peer* peer : able) {
        if (session.stopped()) {
          return;
        }
        session.progress("sustained " + workload->id + " on " + peer->id(), static_cast<std::size_t>(slice),
                         static_cast<std::size_t>(slices));
        sustained_slice(session, *peer, *workload, length, totals[peer]);
      }
    }
    for (Peer* peer : able) {
      const SliceTotals& total = totals[peer];
      SustainedRow row;
      row.workload = workload->id;
      row.peer = peer->id();
      row.workers = peer->load_workers(session.workers());
      row.runs = total.samples.successes();
      row.seconds = total.seconds;
      row.tally = total.samples.tally();
      row.runs_per_s = total.seconds > 0 ? static_cast<double>(row.runs) / total.seconds : 0;
      row.cpu_ms_per_run = row.runs > 0 ? total.cpu_ms / static_cast<double>(row.runs) : 0;
      session.report.sustained.push_back(std::move(row));
    }
  }
}

}  // namespace glovebox::bench

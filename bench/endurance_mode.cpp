#include <algorithm>
#include <mutex>
#include <span>
#include <thread>

#include "base/stopwatch.h"

#include "bench/modes.h"

namespace glovebox::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kSamples = 10;
// So many of the first samples against so many of the last, by their medians: one that was taken while zygotes changed
// over tells nothing.
constexpr std::size_t kCompared = 3;

void run_many(Session& session, Peer& peer, const Workload& workload, std::size_t runs, EnduranceReport& endurance) {
  std::atomic<std::size_t> left{runs};
  std::mutex mutex;
  const auto work = [&] {
    Tally own;
    std::size_t done = 0;
    while (!session.stopped()) {
      std::size_t before = left.load();
      while (before > 0 && !left.compare_exchange_weak(before, before - 1)) {
      }
      if (before == 0) {
        break;
      }
      count(own, time_run(peer, workload).verdict);  // nothing is kept per run: it would look like a leak
      ++done;
    }
    const std::lock_guard lock(mutex);
    endurance.runs += done;
    endurance.tally.failures += own.failures;
    endurance.tally.warm_runs += own.warm_runs;
    if (endurance.tally.first_problem.empty()) {
      endurance.tally.first_problem = own.first_problem;
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned worker = 0; worker < session.workers(); ++worker) {
    threads.emplace_back(work);
  }
}

double median_of(std::span<const ResourceSample> samples, std::uint64_t ResourceSample::*field) {
  std::vector<std::uint64_t> values;
  for (const ResourceSample& each : samples) {
    values.push_back(each.*field);
  }
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return static_cast<double>(values[values.size() / 2]);
}

ResourceSample sample(Session& session, Peer& peer, std::size_t runs) {
  peer.settle();
  // The dead of the last runs are being put away, and reserves that are not needed go.
  std::this_thread::sleep_for(std::chrono::milliseconds(4500));
  ResourceSample taken = sample_resources(session.warm_runner->engine().cgroup_site());
  taken.runs = runs;
  for (const auto& [name, kind] : session.warm_runner->pool_metrics().kinds) {
    taken.idle_cells += kind.idle;
  }
  return taken;
}

}  // namespace

std::vector<FlatFigure> flat_figures(const std::vector<ResourceSample>& samples) {
  // The pool may hold some cells more than at first; what they own is no leak.
  constexpr double kPerCell = 8;
  constexpr double kBytesPerCell = 3 << 20;
  constexpr double kMountsPerCell = 32;
  constexpr double kMemoryShare = 1.05;
  constexpr double kMemoryBytes = 2 << 20;
  constexpr double kCount = 4;
  if (samples.empty()) {
    return {};
  }
  using Field = std::uint64_t ResourceSample::*;
  const std::size_t compared = std::min(samples.size(), kCompared);
  const auto first = [&](Field field) { return median_of(std::span(samples).first(compared), field); };
  const auto last = [&](Field field) { return median_of(std::span(samples).last(compared), field); };
  const double more_cells = std::max(0.0, last(&ResourceSample::idle_cells) - first(&ResourceSample::idle_cells));
  std::vector<FlatFigure> figures;
  const auto add = [&](const char* name, Field field, double share, double slack) {
    figures.push_back({name, first(field), last(field), first(field) * share + slack});
  };
  const double count_slack = kCount + kPerCell * more_cells;
  add("memory of the process, bytes", &ResourceSample::own_bytes, kMemoryShare, kMemoryBytes);
  add("memory of the launcher, bytes", &ResourceSample::launcher_bytes, kMemoryShare, kMemoryBytes);
  add("memory of all below, bytes", &ResourceSample::below_bytes, kMemoryShare,
      kMemoryBytes + kBytesPerCell * more_cells);
  add("descriptors of the process", &ResourceSample::own_descriptors, 1, count_slack);
  add("descriptors of the launcher", &ResourceSample::launcher_descriptors, 1, count_slack);
  add("descriptors of all below", &ResourceSample::below_descriptors, 1, count_slack);
  add("control groups", &ResourceSample::groups, 1, count_slack);
  add("mounts of the process", &ResourceSample::own_mounts, 1, count_slack);
  add("mounts of the launcher", &ResourceSample::launcher_mounts, 1, count_slack);
  add("mounts of all below", &ResourceSample::below_mounts, 1, kCount + kMountsPerCell * more_cells);
  add("processes", &ResourceSample::processes, 1, count_slack);
  return figures;
}

void measure_endurance(Session& session) {
  const auto found =
      std::find_if(session.peers.begin(), session.peers.end(), [](const Peer* peer) { return peer->id() == "warm"; });
  const Workload& workload = *session.load_workloads.front();
  if (found == session.peers.end() || session.warm_runner == nullptr) {
    session.report.left_out.push_back({"endurance", workload.id, "warm", "the peer \"warm\" is not there"});
    return;
  }
  Peer& peer = **found;
  EnduranceReport endurance;
  endurance.workload = workload.id;
  const std::size_t total = session.options.endurance_runs;
  for (std::size_t part = 1; part <= kSamples; ++part) {
    session.progress("endurance", endurance.runs, total);
    const auto start = Clock::now();
    run_many(session, peer, workload, total * part / kSamples - total * (part - 1) / kSamples, endurance);
    endurance.seconds += base::ms_since(start) / 1000;
    if (session.stopped()) {
      return;
    }
    endurance.samples.push_back(sample(session, peer, endurance.runs));
  }
  endurance.figures = flat_figures(endurance.samples);
  session.report.endurance = std::move(endurance);
}

}  // namespace glovebox::bench

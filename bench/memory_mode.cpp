#include <unistd.h>

#include <algorithm>
#include <thread>

#include "bench/library_peer.h"
#include "bench/modes.h"

namespace glovebox::bench {
namespace {

constexpr std::chrono::seconds kIdlePatience(60);
constexpr std::uint32_t kFewCells = 2;
constexpr std::uint32_t kMoreCells = 8;  // on top of those

struct Stand {
  engine::PoolMetrics pool;
  std::optional<std::uint64_t> private_bytes;
};

// Cells that were just made still touch pages; the figures are those of cells that wait.
std::optional<Stand> stand_with(runner::Runner& runner, const contract::RunRequest& request, std::uint32_t cells) {
  if (!runner.prepare(request, cells, kIdlePatience)) {
    return std::nullopt;
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  Stand stand;
  stand.private_bytes = private_bytes(descendants(::getpid()));
  stand.pool = runner.pool_metrics();
  return stand;
}

// One run tells which kind serves the workload: its counters move.
std::string kind_of(runner::Runner& runner, const contract::RunRequest& request) {
  const engine::PoolMetrics before = runner.pool_metrics();
  (void)runner.run(request);
  for (const auto& [name, kind] : runner.pool_metrics().kinds) {
    const auto known = before.kinds.find(name);
    const std::uint64_t served = known == before.kinds.end() ? 0 : known->second.hits + known->second.misses;
    if (kind.hits + kind.misses > served) {
      return name;
    }
  }
  return "";
}

std::optional<MemoryRow> measure_kind(runner::Runner& runner, const contract::RunRequest& request) {
  const auto few = stand_with(runner, request, kFewCells);
  const std::string kind = few ? kind_of(runner, request) : "";
  if (kind.empty()) {
    return std::nullopt;
  }
  const std::uint32_t idle_before = few->pool.kinds.count(kind) == 0 ? 0 : few->pool.kinds.at(kind).idle;
  const auto more = stand_with(runner, request, idle_before + kMoreCells);
  const engine::PoolKindMetrics seen = more ? more->pool.kinds.at(kind) : few->pool.kinds.at(kind);
  MemoryRow row;
  row.kind = kind;
  row.idle_cells = seen.idle;
  row.pool_bytes = seen.private_bytes;
  row.zygote_bytes = seen.zygote_bytes;
  if (more && seen.idle > idle_before && few->private_bytes && more->private_bytes > few->private_bytes) {
    row.measured_bytes = (*more->private_bytes - *few->private_bytes) / (seen.idle - idle_before);
  }
  return row;
}

}  // namespace

// The pool has its own figure. The benchmark checks it from outside: private memory of all processes below us with a
// few waiting cells and with more of them; what it grew by, per cell.
void measure_memory(Session& session) {
  if (session.warm_runner == nullptr) {
    return;
  }
  for (const char* id : {"pandas", "javascript", "shell", "print"}) {
    const Workload* workload = find_workload(id);
    const bool wanted =
        std::find(session.workloads.begin(), session.workloads.end(), workload) != session.workloads.end();
    const auto request = request_for(*workload);
    if (!wanted || !request || session.stopped() || !session.warm_runner->explain(*request)) {
      continue;
    }
    session.progress(std::string("memory of waiting cells for ") + id, 0, 0);
    if (auto row = measure_kind(*session.warm_runner, *request); row) {
      row->workload = id;
      session.report.memory.push_back(std::move(*row));
    } else {
      session.report.left_out.push_back({"memory", id, "warm", "the pool had no cells for it ready in time"});
    }
  }
}

}  // namespace glovebox::bench

// What the pool has done so far, in numbers that only grow, and what it holds now.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace glovebox::engine {

// One kind of warm cell: a language, and for a zygote the set of modules that it has loaded ("python/data").
struct PoolKindMetrics {
  std::uint64_t hits = 0;           // runs served by a cell that waited
  std::uint64_t queued = 0;         // of these, runs that had to wait for it
  std::uint64_t misses = 0;         // runs that could have been warm but found no cell
  std::uint64_t made = 0;           // cells made
  std::uint64_t discarded = 0;      // cells thrown away unused: unhealthy, too old, too many
  std::uint64_t failures = 0;       // cells or zygotes that could not be made
  std::uint64_t zygotes = 0;        // zygotes started so far
  std::uint32_t idle = 0;           // cells that wait now
  std::uint32_t target = 0;         // cells that should wait
  double refill_ms_total = 0;       // time to make the cells, off the request path
  double refill_cpu_ms_total = 0;   // CPU time that making them took, inside the cells and in their zygotes
  double run_cpu_ms_total = 0;      // CPU time of the runs themselves: with the refill, what a warm run costs
  double idle_ms_total = 0;         // how long cells waited until they were used
  double idle_ms_oldest = 0;        // of those that wait now
  std::uint64_t private_bytes = 0;  // of one idle cell, as last measured
  std::uint64_t zygote_bytes = 0;   // of its zygotes, as last measured

  // The same kind of another tenant.
  void add(const PoolKindMetrics& other);
};

struct PoolMetrics {
  std::map<std::string, PoolKindMetrics> kinds;  // of all tenants together
  std::uint64_t memory_bytes = 0;                // all that waits
  std::uint64_t fallbacks = 0;                   // runs that failed twice on the warm path and went to the cold one
};

}  // namespace glovebox::engine

// How many warm cells wait, and what happens when none is left.
#pragma once

#include <cstdint>

namespace glovebox::engine {

enum class WhenEmpty {
  cold,   // build a cold cell at once
  queue,  // wait for a warm one, but not long and not in a long line; then build a cold cell
};

struct PoolOptions {
  bool enabled = false;  // a command that runs one program has no use for a pool
  // For everything that waits: idle cells and zygotes, counted as the memory that only they hold.
  std::uint64_t memory_budget_bytes = 1ULL << 30U;
  std::uint32_t least_idle = 2;  // per kind of cell that was asked for in the last minutes
  std::uint32_t most_idle = 16;  // per kind
  WhenEmpty when_empty = WhenEmpty::queue;
  std::uint32_t queue_length = 256;  // per kind
  std::uint32_t queue_wait_ms = 2000;
  // The children of one zygote share its address layout and hash seed, so it is replaced now and then.
  std::uint64_t zygote_cells = 10'000;
  std::uint64_t zygote_age_s = 3600;
  std::uint64_t idle_age_s = 600;  // a cell that nobody wanted for so long is replaced, and the demand forgotten
  // A network namespace costs as much as everything else in a cell. The emptied one of a dead cell, in which only local
  // sockets could ever exist, serves the next; `true` makes a new one for every cell.
  bool fresh_network = false;
  // Every tenant has zygotes, nurseries and cells of its own; false: tenants share them.
  bool tenants_apart = true;
  // Kinds of cells, of all tenants together. The one that nobody wanted for the longest time makes room for another.
  std::uint32_t most_kinds = 64;

  bool operator==(const PoolOptions&) const = default;
};

}  // namespace glovebox::engine

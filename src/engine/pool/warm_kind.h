// One kind of warm cell in the pool, with what makes it and what waits of it. Guarded by the pool's mutex.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/pool/pool_metrics.h"
#include "engine/pool/pool_options.h"
#include "engine/pool/warm_cell.h"
#include "engine/pool/zygote.h"

namespace glovebox::engine {

using PoolClock = std::chrono::steady_clock;

// A run in line. Who makes a cell hands it to the first.
struct WaitingRun {
  std::condition_variable called;
  std::optional<WarmCell> cell;
};

struct WarmKindState {
  std::string name;    // "python/data"
  std::string tenant;  // empty: of all
  std::shared_ptr<const LanguageProfile> language;
  std::size_t set = 0;
  std::shared_ptr<Nursery> nursery;
  std::shared_ptr<Zygote> zygote;  // null for a runtime that starts in its cell
  bool setting_up = false;         // a maker is starting the nursery or the zygote
  std::vector<WarmCell> idle;      // the youngest last
  std::uint32_t making = 0;
  std::deque<WaitingRun*> line;
  std::uint32_t preparing = 0;  // callers that wait for idle cells
  std::uint32_t in_use = 0;
  std::uint32_t busiest = 0;  // most at once in this window
  std::uint32_t target = 0;
  std::uint32_t failures_in_a_row = 0;
  std::string last_problem;
  PoolClock::time_point window_start = PoolClock::now();
  PoolClock::time_point last_used = PoolClock::now();
  PoolClock::time_point retry_at{};  // after a failure
  PoolKindMetrics metrics;

  // A run asks for a cell of this kind.
  void note_demand(const PoolOptions& options, PoolClock::time_point now);
  // Demand of the past counts less and less; at last the kind is given up.
  void forget(const PoolOptions& options, PoolClock::time_point now);
  [[nodiscard]] std::uint32_t waiting() const { return static_cast<std::uint32_t>(line.size()); }
  // Nobody uses it, waits for it or works on it.
  [[nodiscard]] bool at_rest() const;
  // What has to end, outside of the pool's lock. What the zygote has cost stays counted.
  [[nodiscard]] std::shared_ptr<Zygote> let_zygote_go();
  // A run has got this cell.
  void note_hit(const WarmCell& cell);
  // How many more cells should be made now.
  [[nodiscard]] std::uint32_t missing() const;
  [[nodiscard]] bool ready() const;
  // A failure puts off the next try, longer each time.
  void note_failure(PoolClock::time_point now);
};

}  // namespace glovebox::engine

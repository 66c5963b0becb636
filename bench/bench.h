// The benchmark: Glovebox beside the other ways of running a program, on this machine, in one run, peers in turns.
//
// One process does it all: it spawns the command peers and holds two Runners, one that builds every cell cold and one
// with the pool of warm cells in its default settings. Nothing is left behind, also when it is stopped: runs that are
// going on are waited for, then the Runners end their cells, then the directories go.
#pragma once

#include "base/result.h"
#include "bench/modes.h"
#include "bench/options.h"
#include "bench/report.h"

namespace glovebox::bench {

// Fails with `cancelled` when options.stop was set meanwhile.
[[nodiscard]] base::Result<Report> run_bench(const Options& options, const Progress& progress);

}  // namespace glovebox::bench

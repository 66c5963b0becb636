// Glovebox as a library: Runner::run in this process, with cells built cold or taken from the pool of warm ones.
#pragma once

#include <memory>

#include "bench/peer.h"
#include "runner/runner.h"

namespace glovebox::bench {

// Also used by modes that look at a Runner itself.
[[nodiscard]] base::Result<contract::RunRequest> request_for(const Workload& workload);

enum class Cells { cold, warm };

// `runner` outlives the peer. With warm cells every latency is that of a run that finds a waiting cell, if it is asked
// to make_ready() before; how many really did is in the verdicts.
[[nodiscard]] std::unique_ptr<Peer> library_peer(std::string id, std::string title, runner::Runner& runner,
                                                 Cells cells);
// A peer that says why it is not there.
[[nodiscard]] std::unique_ptr<Peer> missing_peer(std::string id, std::string title, std::string reason);

}  // namespace glovebox::bench

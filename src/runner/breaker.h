// Circuit breakers (X4): a task that fails again and again in the same way, or a tenant with too many failures at once,
// is stopped with a reason instead of being served for ever.
//
// A circuit is closed (runs pass), open (they are refused, with a time to wait), or half open: when that time has
// passed, one run may try; its success closes the circuit, its failure opens it once more. A program's failures and our
// own are counted apart: neither hides the other. State is kept in memory; a restart closes every circuit.
//
// Callers give the time. Any thread may call.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "contract/run_result.h"
#include "runner/caller.h"
#include "runner/service_settings.h"

namespace glovebox::runner {

struct BreakerStats {
  std::uint64_t open = 0;     // now
  std::uint64_t opened = 0;   // ever
  std::uint64_t refused = 0;  // runs, ever
};

class Breaker {
 public:
  explicit Breaker(const BreakerSettings& settings) : settings_(settings) {}

  // Whether a run may go on; if so, leave() has to follow.
  [[nodiscard]] base::Status enter(const Caller& caller, std::int64_t now_ms);
  // `signature` tells failures apart (see error_signature).
  void leave(const Caller& caller, const contract::RunResult& result, const std::string& signature,
             std::int64_t now_ms);

  [[nodiscard]] BreakerStats task_stats(std::int64_t now_ms) const;
  [[nodiscard]] BreakerStats tenant_stats(std::int64_t now_ms) const;

 private:
  struct Circuit {
    std::int64_t open_until_ms = -1;  // -1: closed
    bool trial = false;               // one run tries whether it works again
    std::int64_t touched_ms = 0;
    std::string reason;
    std::string signature;             // of the program's last failure
    std::uint32_t same_errors = 0;     // in a row
    std::uint32_t own_failures = 0;    // of ours, in a row
    std::int64_t window_start_ms = 0;  // of a tenant's count
    std::uint64_t failures = 0;
  };
  using Circuits = std::unordered_map<std::string, Circuit>;

  [[nodiscard]] base::Status pass(Circuits& circuits, const std::string& key, BreakerStats& stats,
                                  std::string_view what, std::int64_t now_ms);
  void judge_task(Circuit& circuit, const contract::RunResult& result, const std::string& signature,
                  std::int64_t now_ms);
  void judge_tenant(Circuit& circuit, const contract::RunResult& result, std::int64_t now_ms);
  void open(Circuit& circuit, BreakerStats& stats, std::string reason, std::int64_t now_ms) const;
  [[nodiscard]] static Circuit* circuit_of(Circuits& circuits, const std::string& key, std::size_t most,
                                           const contract::RunResult& result, std::int64_t now_ms);
  void forget_some(std::int64_t now_ms);

  const BreakerSettings settings_;
  mutable std::mutex mutex_;
  // By tenant, so that nobody's tasks crowd out another's; only those that have failed.
  std::unordered_map<std::string, Circuits> tasks_;
  Circuits tenants_;  // only those that have failed
  BreakerStats task_stats_;
  BreakerStats tenant_stats_;
  std::int64_t swept_ms_ = 0;
};

}  // namespace glovebox::runner

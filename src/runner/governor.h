// Decides whether a tenant may have a run now: the stop switch, quotas (429 with a time to wait), budgets of tasks, and
// circuit breakers.
//
// What was used is the store's to know; what is in flight, and the rate of the last minute, is kept here. What the
// store says about a tenant (quota, policy, bytes kept, CPU time of this hour) is asked at most once a second, so that
// an operator's change works soon and a run pays nothing for it.
//
// Callers give the time. Any thread may call.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "contract/run_request.h"
#include "contract/run_result.h"
#include "records/store.h"
#include "runner/breaker.h"
#include "runner/caller.h"
#include "runner/service_settings.h"

namespace glovebox::runner {

// What was granted; given back by settle().
struct Permit {
  std::uint64_t wall_ms = 0;  // the run's limit, or what is left of its task's budget
  bool cut = false;           // the budget left less than the limit
};

// A tenant's quota and what is used of it.
struct TenantUse {
  records::Quota quota;  // 0: no bound
  // What the limit leaves no room for at this moment: a whole run until all of its share has come back.
  std::uint64_t runs_this_minute = 0;
  std::uint64_t cpu_ms_this_hour = 0;
};

class Governor {
 public:
  Governor(records::Store& store, const ServiceSettings& settings);

  // Reads the stop switch from the store: it survives a restart.
  [[nodiscard]] base::Status load();

  [[nodiscard]] base::Result<Permit> permit(const Caller& caller, const contract::RunRequest& request,
                                            std::int64_t now_ms);
  // `signature` tells failures apart (see error_signature); empty for a success.
  void settle(const Caller& caller, const Permit& permit, const contract::RunResult& result,
              const std::string& signature, std::int64_t now_ms);
  [[nodiscard]] const Breaker& breaker() const { return breaker_; }

  // Runs at the same time that the tenant may have; 0: no bound of its own.
  [[nodiscard]] std::uint64_t concurrency_of(const std::string& tenant, std::int64_t now_ms);
  // The policy profile that the tenant is bound to; empty: to none. Fails when nobody can tell.
  [[nodiscard]] base::Result<std::string> policy_of(const std::string& tenant, std::int64_t now_ms);
  [[nodiscard]] TenantUse use_of(const std::string& tenant, std::int64_t now_ms);

  [[nodiscard]] base::Status stop(const records::Stopped& stopped);
  [[nodiscard]] base::Status resume(const std::string& by, const std::string& reason, std::int64_t now_ms);
  [[nodiscard]] std::optional<records::Stopped> stopped() const;
  // No new work, for good: the process is about to end.
  void drain() { draining_ = true; }
  [[nodiscard]] bool draining() const { return draining_; }

 private:
  struct Tenant {
    records::Quota quota;
    base::Result<std::string> policy;
    std::uint64_t stored_bytes = 0;
    double cpu_ms_this_hour = 0;
    std::int64_t hour_start_ms = 0;
    std::int64_t asked_ms = -1;
    double tokens = 0;
    std::int64_t tokens_at_ms = -1;
  };
  struct Task {
    std::uint64_t runs = 0;  // in flight
    std::uint64_t wall_ms = 0;
  };

  [[nodiscard]] base::Status check_open() const;
  [[nodiscard]] Tenant& tenant(const std::string& name, std::int64_t now_ms);
  [[nodiscard]] static double refilled_tokens(const Tenant& tenant, std::int64_t now_ms);
  [[nodiscard]] base::Status check_quota(Tenant& tenant, std::int64_t now_ms) const;
  [[nodiscard]] base::Result<Permit> check_budget(const Caller& caller, const contract::RunRequest& request);
  void give_back(const Caller& caller, const Permit& permit);

  records::Store& store_;
  const ServiceSettings settings_;
  Breaker breaker_;
  std::atomic<bool> draining_ = false;
  mutable std::mutex mutex_;
  std::optional<records::Stopped> stopped_;
  std::unordered_map<std::string, Tenant> tenants_;
  std::unordered_map<std::string, Task> tasks_;
};

}  // namespace glovebox::runner

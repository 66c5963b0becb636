#include "runner/breaker.h"

#include <fmt/format.h>

#include <algorithm>

namespace glovebox::runner {
namespace {

using base::ErrorCode;
using base::fail;
using base::make_error;
using base::Status;
using contract::Outcome;

constexpr std::size_t kMostTenants = 10'000;
constexpr std::size_t kMostTasksOfTenant = 1'000;
constexpr std::int64_t kBreakerSecondMs = 1000;
constexpr std::int64_t kSweepMs = 60 * kBreakerSecondMs;

bool is_ours(Outcome outcome) { return outcome == Outcome::setup_failed || outcome == Outcome::internal_error; }

// Neither a success nor a failure of anybody: it did not run, or was stopped.
bool says_nothing(const contract::RunResult& result) {
  return result.cached || result.outcome == Outcome::rejected || result.outcome == Outcome::cancelled;
}

std::uint64_t count_open(const auto& circuits, std::int64_t now_ms) {
  return static_cast<std::uint64_t>(std::count_if(
      circuits.begin(), circuits.end(), [&](const auto& entry) { return entry.second.open_until_ms > now_ms; }));
}

// The one that is missed least: closed, and not heard of for longest.
void forget_one(auto& circuits) {
  const auto rank = [](const auto& entry) {
    return std::pair(entry.second.open_until_ms >= 0 || entry.second.trial, entry.second.touched_ms);
  };
  circuits.erase(std::min_element(circuits.begin(), circuits.end(),
                                  [&](const auto& a, const auto& b) { return rank(a) < rank(b); }));
}

}  // namespace

Status Breaker::pass(Circuits& circuits, const std::string& key, BreakerStats& stats, std::string_view what,
                     std::int64_t now_ms) {
  const auto found = circuits.find(key);
  if (found == circuits.end() || found->second.open_until_ms < 0) {
    return {};
  }
  Circuit& circuit = found->second;
  if (now_ms >= circuit.open_until_ms && !circuit.trial) {
    circuit.trial = true;
    circuit.touched_ms = now_ms;
    return {};
  }
  ++stats.refused;
  const std::int64_t wait_s = (circuit.open_until_ms - now_ms + kBreakerSecondMs - 1) / kBreakerSecondMs;
  return fail(make_error(ErrorCode::circuit_open, fmt::format("{} is stopped: {}", what, circuit.reason))
                  .with_retry_after(static_cast<unsigned>(std::max<std::int64_t>(wait_s, 1))));
}

Status Breaker::enter(const Caller& caller, std::int64_t now_ms) {
  const std::lock_guard lock(mutex_);
  TRY_STATUS(pass(tenants_, caller.tenant, tenant_stats_, "this tenant", now_ms));
  if (caller.task_id.empty()) {
    return {};
  }
  const auto tasks = tasks_.find(caller.tenant);
  if (tasks == tasks_.end()) {
    return {};
  }
  auto passed = pass(tasks->second, caller.task_id, task_stats_, "the task " + caller.task_id, now_ms);
  if (const auto tenant = tenants_.find(caller.tenant); !passed && tenant != tenants_.end()) {
    tenant->second.trial = false;  // it did not come to that
  }
  return passed;
}

void Breaker::open(Circuit& circuit, BreakerStats& stats, std::string reason, std::int64_t now_ms) const {
  circuit.open_until_ms = now_ms + static_cast<std::int64_t>(settings_.open_s) * kBreakerSecondMs;
  circuit.reason = std::move(reason);
  ++stats.opened;
}

void Breaker::judge_task(Circuit& circuit, const contract::RunResult& result, const std::string& signature,
                         std::int64_t now_ms) {
  const bool was_trial = circuit.trial;
  circuit.trial = false;
  if (says_nothing(result)) {
    return;
  }
  if (result.success) {
    // One that began before the circuit opened says nothing about it.
    if (was_trial || circuit.open_until_ms < 0) {
      circuit = Circuit();
      circuit.touched_ms = now_ms;
    }
    return;
  }
  if (is_ours(result.outcome)) {
    ++circuit.own_failures;
  } else {
    circuit.own_failures = 0;
    circuit.same_errors = circuit.signature == signature ? circuit.same_errors + 1 : 1;
    circuit.signature = signature;
  }
  const std::uint64_t most = settings_.task_same_errors;
  if (circuit.own_failures >= most) {
    open(circuit, task_stats_, fmt::format("the service itself failed {} times in a row", circuit.own_failures),
         now_ms);
  } else if (!is_ours(result.outcome) && circuit.same_errors >= most) {
    open(circuit, task_stats_, fmt::format("it failed {} times in a row with the same error", circuit.same_errors),
         now_ms);
  } else if (was_trial) {
    circuit.open_until_ms = -1;  // another error: something has changed
  }
}

void Breaker::judge_tenant(Circuit& circuit, const contract::RunResult& result, std::int64_t now_ms) {
  const bool was_trial = circuit.trial;
  circuit.trial = false;
  if (says_nothing(result) || is_ours(result.outcome)) {
    return;  // not the tenant's doing
  }
  if (result.success) {
    if (was_trial) {
      circuit = Circuit();
      circuit.touched_ms = circuit.window_start_ms = now_ms;
    }
    return;
  }
  const std::int64_t window_ms = static_cast<std::int64_t>(settings_.tenant_window_s) * kBreakerSecondMs;
  if (now_ms - circuit.window_start_ms >= window_ms) {
    circuit.window_start_ms = now_ms;
    circuit.failures = 0;
  }
  ++circuit.failures;
  const bool is_open = circuit.open_until_ms > now_ms;
  if (!is_open && (was_trial || circuit.failures >= settings_.tenant_failures)) {
    open(circuit, tenant_stats_,
         fmt::format("{} of its runs failed within {} s", circuit.failures, settings_.tenant_window_s), now_ms);
  }
}

void Breaker::leave(const Caller& caller, const contract::RunResult& result, const std::string& signature,
                    std::int64_t now_ms) {
  const std::lock_guard lock(mutex_);
  forget_some(now_ms);
  if (settings_.tenant_failures != 0) {
    if (Circuit* circuit = circuit_of(tenants_, caller.tenant, kMostTenants, result, now_ms); circuit != nullptr) {
      judge_tenant(*circuit, result, now_ms);
    }
  }
  if (settings_.task_same_errors != 0 && !caller.task_id.empty()) {
    Circuits& tasks = tasks_[caller.tenant];
    if (Circuit* circuit = circuit_of(tasks, caller.task_id, kMostTasksOfTenant, result, now_ms); circuit != nullptr) {
      judge_task(*circuit, result, signature, now_ms);
    }
    if (tasks.empty()) {
      tasks_.erase(caller.tenant);
    }
  }
}

// Of somebody who has failed, now or before.
Breaker::Circuit* Breaker::circuit_of(Circuits& circuits, const std::string& key, std::size_t most,
                                      const contract::RunResult& result, std::int64_t now_ms) {
  auto found = circuits.find(key);
  if (found == circuits.end()) {
    if (result.success || says_nothing(result)) {
      return nullptr;
    }
    if (circuits.size() >= most) {
      forget_one(circuits);
    }
    found = circuits.try_emplace(key).first;
  }
  found->second.touched_ms = now_ms;
  return &found->second;
}

// Those that nothing was heard of for so long that they mean nothing any more.
void Breaker::forget_some(std::int64_t now_ms) {
  if (now_ms < swept_ms_ + kSweepMs) {
    return;
  }
  swept_ms_ = now_ms;
  const std::int64_t long_ms =
      static_cast<std::int64_t>(std::max(settings_.open_s, settings_.tenant_window_s)) * kBreakerSecondMs * 2;
  const auto old = [&](const auto& entry) { return entry.second.touched_ms + long_ms < now_ms; };
  for (auto& [tenant, tasks] : tasks_) {
    std::erase_if(tasks, old);
  }
  std::erase_if(tasks_, [](const auto& tenant) { return tenant.second.empty(); });
  std::erase_if(tenants_, old);
}

BreakerStats Breaker::task_stats(std::int64_t now_ms) const {
  const std::lock_guard lock(mutex_);
  BreakerStats stats = task_stats_;
  for (const auto& [tenant, tasks] : tasks_) {
    stats.open += count_open(tasks, now_ms);
  }
  return stats;
}

BreakerStats Breaker::tenant_stats(std::int64_t now_ms) const {
  const std::lock_guard lock(mutex_);
  BreakerStats stats = tenant_stats_;
  stats.open = count_open(tenants_, now_ms);
  return stats;
}

}  // namespace glovebox::runner

#include "runner/governor.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/cleanup.h"

namespace glovebox::runner {
namespace {

using base::ErrorCode;
using base::fail;
using base::make_error;
using base::Result;
using base::Status;

constexpr std::int64_t kAskAgainMs = 1000;
constexpr std::int64_t kHourMs = 3'600'000;
constexpr double kMinuteMs = 60'000;
constexpr std::size_t kMostTenantsRemembered = 10'000;
constexpr unsigned kStoppedRetryS = 60;
constexpr unsigned kDrainingRetryS = 5;
constexpr unsigned kStorageRetryS = 3600;

std::uint64_t or_default(std::uint64_t own, std::uint64_t standard) { return own != 0 ? own : standard; }

std::string task_key(const Caller& caller) { return caller.tenant + '\0' + caller.task_id; }

base::Error over_budget(const Caller& caller, std::string what) {
  return make_error(ErrorCode::budget_exceeded, fmt::format("task {}: {}", caller.task_id, what));
}

}  // namespace

Governor::Governor(records::Store& store, const ServiceSettings& settings)
    : store_(store), settings_(settings), breaker_(settings.breaker) {}

Status Governor::load() {
  auto stopped = TRY(store_.stopped());
  const std::lock_guard lock(mutex_);
  stopped_ = std::move(stopped);
  return {};
}

Status Governor::check_open() const {
  if (draining_) {
    return fail(make_error(ErrorCode::draining, "the service is shutting down").with_retry_after(kDrainingRetryS));
  }
  if (stopped_) {
    return fail(make_error(ErrorCode::stopped, "the service was stopped: " + stopped_->reason)
                    .with_retry_after(kStoppedRetryS));
  }
  return {};
}

Governor::Tenant& Governor::tenant(const std::string& name, std::int64_t now_ms) {
  if (tenants_.size() > kMostTenantsRemembered) {
    std::erase_if(tenants_, [&](const auto& entry) { return entry.second.asked_ms + kAskAgainMs < now_ms; });
  }
  Tenant& tenant = tenants_[name];
  const std::int64_t hour = now_ms - now_ms % kHourMs;
  if (tenant.hour_start_ms != hour) {
    tenant.hour_start_ms = hour;
    tenant.cpu_ms_this_hour = 0;
    tenant.asked_ms = -1;
  }
  if (tenant.asked_ms >= 0 && now_ms < tenant.asked_ms + kAskAgainMs) {
    return tenant;
  }
  tenant.asked_ms = now_ms;
  if (const auto quota = store_.quota(name); quota) {
    tenant.quota.concurrency = or_default(quota->concurrency, settings_.quota.concurrency);
    tenant.quota.runs_per_minute = or_default(quota->runs_per_minute, settings_.quota.runs_per_minute);
    tenant.quota.cpu_ms_per_hour = or_default(quota->cpu_ms_per_hour, settings_.quota.cpu_ms_per_hour);
    tenant.quota.storage_bytes = or_default(quota->storage_bytes, settings_.quota.storage_bytes);
  }
  tenant.policy = store_.tenant_policy(name);
  if (tenant.quota.storage_bytes != 0) {
    tenant.stored_bytes = store_.stored_bytes(name).value_or(tenant.stored_bytes);
  }
  if (tenant.quota.cpu_ms_per_hour != 0) {
    if (const auto usage = store_.usage(name, hour, now_ms + 1, kHourMs); usage && !usage->empty()) {
      tenant.cpu_ms_this_hour = usage->back().cpu_ms;
    }
  }
  return tenant;
}

// What the tenant may start now: a full minute's worth at first, and never more.
double Governor::refilled_tokens(const Tenant& tenant, std::int64_t now_ms) {
  const auto most = static_cast<double>(tenant.quota.runs_per_minute);
  if (tenant.tokens_at_ms < 0) {
    return most;
  }
  const auto passed_ms = static_cast<double>(std::max<std::int64_t>(now_ms - tenant.tokens_at_ms, 0));
  return std::clamp(tenant.tokens + passed_ms * most / kMinuteMs, 0.0, most);
}

Status Governor::check_quota(Tenant& tenant, std::int64_t now_ms) const {
  const records::Quota& quota = tenant.quota;
  if (quota.cpu_ms_per_hour != 0 && tenant.cpu_ms_this_hour >= static_cast<double>(quota.cpu_ms_per_hour)) {
    const auto left_s = static_cast<unsigned>((tenant.hour_start_ms + kHourMs - now_ms) / 1000 + 1);
    return fail(make_error(ErrorCode::quota_exceeded,
                           fmt::format("{} CPU seconds per hour are used up", quota.cpu_ms_per_hour / 1000))
                    .with_retry_after(left_s));
  }
  if (quota.storage_bytes != 0 && tenant.stored_bytes >= quota.storage_bytes) {
    return fail(make_error(ErrorCode::quota_exceeded,
                           fmt::format("{} bytes of records are kept, which is the quota", tenant.stored_bytes))
                    .with_hint("delete runs that are not needed any more")
                    .with_retry_after(kStorageRetryS));
  }
  if (quota.runs_per_minute != 0) {
    tenant.tokens = refilled_tokens(tenant, now_ms);
    tenant.tokens_at_ms = now_ms;
    if (tenant.tokens < 1) {
      const double per_ms = static_cast<double>(quota.runs_per_minute) / kMinuteMs;
      const auto wait_s = static_cast<unsigned>((1 - tenant.tokens) / per_ms / 1000 + 1);
      return fail(
          make_error(ErrorCode::quota_exceeded, fmt::format("{} runs per minute are used up", quota.runs_per_minute))
              .with_retry_after(wait_s));
    }
    tenant.tokens -= 1;
  }
  return {};
}

Result<Permit> Governor::check_budget(const Caller& caller, const contract::RunRequest& request) {
  Permit permit{request.limits.wall_ms, false};
  if (caller.task_id.empty()) {
    return permit;
  }
  const records::TaskUsage used = TRY(store_.task_usage(caller.tenant, caller.task_id));
  const std::lock_guard lock(mutex_);
  Task& task = tasks_[task_key(caller)];
  const base::Cleanup forget([&] {
    if (task.runs == 0) {
      tasks_.erase(task_key(caller));
    }
  });
  const TaskBudget& budget = settings_.task;
  if (budget.attempts != 0 && used.attempts + task.runs >= budget.attempts) {
    return fail(over_budget(caller, fmt::format("{} attempts are made", budget.attempts)));
  }
  if (budget.failed_attempts != 0 && used.failed >= budget.failed_attempts) {
    return fail(over_budget(caller, fmt::format("{} attempts have failed, which is the most", used.failed)));
  }
  if (budget.artifact_bytes != 0 && used.artifact_bytes >= budget.artifact_bytes) {
    return fail(over_budget(caller, fmt::format("{} bytes of artifacts are used up", budget.artifact_bytes)));
  }
  if (budget.output_bytes != 0 && used.output_bytes >= budget.output_bytes) {
    return fail(over_budget(caller, fmt::format("{} bytes of output are used up", budget.output_bytes)));
  }
  if (budget.wall_ms != 0) {
    const auto spent = static_cast<std::uint64_t>(used.wall_ms) + task.wall_ms;
    if (spent >= budget.wall_ms) {
      return fail(over_budget(caller, fmt::format("{} ms of execution over all attempts are used up", budget.wall_ms)));
    }
    if (budget.wall_ms - spent < permit.wall_ms) {
      permit = {budget.wall_ms - spent, true};
    }
  }
  task.runs += 1;
  task.wall_ms += permit.wall_ms;
  return permit;
}

Result<Permit> Governor::permit(const Caller& caller, const contract::RunRequest& request, std::int64_t now_ms) {
  {
    const std::lock_guard lock(mutex_);
    TRY_STATUS(check_open());
    TRY_STATUS(check_quota(tenant(caller.tenant, now_ms), now_ms));
  }
  const Permit permit = TRY(check_budget(caller, request));
  if (auto closed = breaker_.enter(caller, now_ms); !closed) {
    give_back(caller, permit);
    return fail(std::move(closed.error()));
  }
  return permit;
}

void Governor::settle(const Caller& caller, const Permit& permit, const contract::RunResult& result,
                      const std::string& signature, std::int64_t now_ms) {
  breaker_.leave(caller, result, signature, now_ms);
  give_back(caller, permit);
  const std::lock_guard lock(mutex_);
  if (const auto found = tenants_.find(caller.tenant); found != tenants_.end() && !result.cached) {
    found->second.cpu_ms_this_hour += result.metrics.cpu_ms;
  }
}

void Governor::give_back(const Caller& caller, const Permit& permit) {
  if (caller.task_id.empty()) {
    return;
  }
  const std::lock_guard lock(mutex_);
  if (const auto found = tasks_.find(task_key(caller)); found != tasks_.end()) {
    found->second.runs -= 1;
    found->second.wall_ms -= permit.wall_ms;
    if (found->second.runs == 0) {
      tasks_.erase(found);
    }
  }
}

TenantUse Governor::use_of(const std::string& name, std::int64_t now_ms) {
  const std::lock_guard lock(mutex_);
  const Tenant& known = tenant(name, now_ms);
  TenantUse use;
  use.quota = known.quota;
  if (known.quota.runs_per_minute != 0 && known.tokens_at_ms >= 0) {
    // Rounded so that limit - used is what permit() would grant now.
    const double left = refilled_tokens(known, now_ms);
    use.runs_this_minute = known.quota.runs_per_minute - static_cast<std::uint64_t>(left);
  }
  use.cpu_ms_this_hour = static_cast<std::uint64_t>(known.cpu_ms_this_hour);
  return use;
}

std::uint64_t Governor::concurrency_of(const std::string& name, std::int64_t now_ms) {
  const std::lock_guard lock(mutex_);
  return tenant(name, now_ms).quota.concurrency;
}

Result<std::string> Governor::policy_of(const std::string& name, std::int64_t now_ms) {
  const std::lock_guard lock(mutex_);
  return tenant(name, now_ms).policy;
}

Status Governor::stop(const records::Stopped& stopped) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) {
      return {};
    }
    stopped_ = stopped;  // first, so that nothing new begins while it is written down
  }
  return store_.stop(stopped);
}

Status Governor::resume(const std::string& by, const std::string& reason, std::int64_t now_ms) {
  TRY_STATUS(store_.resume(by, reason, now_ms));
  const std::lock_guard lock(mutex_);
  stopped_.reset();
  return {};
}

std::optional<records::Stopped> Governor::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

}  // namespace glovebox::runner

// Who may call, how much, and what was used: keys, quotas, usage, budgets, the stop switch. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace glovebox::records {

// A key's secret never reaches the store, only its SHA-256.
struct KeyRecord {
  std::string id;
  std::string name;
  std::string tenant;
  std::string secret_sha256;
  std::set<std::string> scopes;
  std::int64_t created_ms = 0;
  std::optional<std::int64_t> expires_ms;
  std::optional<std::int64_t> revoked_ms;
  std::optional<std::int64_t> last_used_ms;
  bool operator==(const KeyRecord&) const = default;
};

// 0: the service's default.
struct Quota {
  std::uint64_t concurrency = 0;
  std::uint64_t runs_per_minute = 0;
  std::uint64_t cpu_ms_per_hour = 0;
  std::uint64_t storage_bytes = 0;
  bool operator==(const Quota&) const = default;
};

struct TenantQuota {
  std::string tenant;
  Quota quota;
  bool operator==(const TenantQuota&) const = default;
};

// The policy profile that a tenant's runs must pass, whatever they ask for.
struct TenantPolicy {
  std::string tenant;
  std::string policy;
  bool operator==(const TenantPolicy&) const = default;
};

// What the ended runs of one task have used (B1). A cached answer is an attempt, has bytes, and took no time.
struct TaskUsage {
  std::uint64_t attempts = 0;
  std::uint64_t failed = 0;  // of these, by the program's own doing
  double wall_ms = 0;
  double cpu_ms = 0;
  std::uint64_t output_bytes = 0;
  std::uint64_t artifact_bytes = 0;
  bool operator==(const TaskUsage&) const = default;
};

// What ended within one stretch of time (B3).
struct UsageBucket {
  std::int64_t start_ms = 0;
  std::uint64_t runs = 0;
  std::uint64_t failed = 0;  // success was false
  std::uint64_t cached = 0;
  double wall_ms = 0;
  double cpu_ms = 0;
  std::uint64_t output_bytes = 0;
  std::uint64_t artifact_bytes = 0;
  bool operator==(const UsageBucket&) const = default;
};

// The service refuses work until somebody resumes it.
struct Stopped {
  std::string reason;
  std::string by;
  std::int64_t since_ms = 0;
  bool operator==(const Stopped&) const = default;
};

}  // namespace glovebox::records

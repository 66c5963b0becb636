// Records as JSON, in the shapes of contract/openapi.json.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "records/account.h"
#include "records/approval.h"
#include "records/run_record.h"

namespace glovebox::records {

// Over several tenants, each run says whose it is.
enum class Tenants { one, several };
[[nodiscard]] std::string to_json(const RunPage& page, Tenants tenants = Tenants::one);
[[nodiscard]] std::string to_json(const RunRecord& record);

// What a tenant has used of its quota.
struct QuotaUse {
  Quota quota;  // 0: no bound
  std::uint64_t running = 0;
  std::uint64_t runs_this_minute = 0;
  std::uint64_t cpu_ms_this_hour = 0;
  std::uint64_t stored_bytes = 0;
};
[[nodiscard]] std::string to_json(const std::string& tenant, const std::vector<UsageBucket>& buckets,
                                  const QuotaUse& use);
[[nodiscard]] std::string to_json(const std::optional<Stopped>& stopped);
[[nodiscard]] std::string to_json(const Approval& approval);
[[nodiscard]] std::string to_json(const ApprovalPage& page);

}  // namespace glovebox::records

// Keys, quotas and the stop switch as rows. Changes write their audit entry in the same transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "records/account.h"
#include "records/commit_queue.h"
#include "records/sqlite.h"

namespace glovebox::records {

[[nodiscard]] base::Status insert_key(Transaction& transaction, const KeyRecord& key, std::string_view actor);
[[nodiscard]] base::Result<bool> mark_key_revoked(Transaction& transaction, std::string_view id, std::string_view actor,
                                                  std::int64_t now_ms);
[[nodiscard]] base::Status mark_key_used(Database& writer, std::string_view id, std::int64_t used_ms);
[[nodiscard]] base::Result<std::vector<KeyRecord>> read_keys(Database& reader);
[[nodiscard]] base::Result<std::optional<KeyRecord>> read_key(Database& reader, std::string_view secret_sha256);
[[nodiscard]] base::Result<bool> has_keys(Database& reader);

[[nodiscard]] base::Status write_quota(Transaction& transaction, std::string_view tenant, const Quota& quota,
                                       std::string_view actor, std::int64_t now_ms);
[[nodiscard]] base::Result<std::vector<TenantQuota>> read_quotas(Database& reader);
[[nodiscard]] base::Result<Quota> read_quota(Database& reader, std::string_view tenant);

// An empty policy unbinds.
[[nodiscard]] base::Status write_tenant_policy(Transaction& transaction, std::string_view tenant,
                                               std::string_view policy, std::string_view actor, std::int64_t now_ms);
[[nodiscard]] base::Result<std::string> read_tenant_policy(Database& reader, std::string_view tenant);
[[nodiscard]] base::Result<std::vector<TenantPolicy>> read_tenant_policies(Database& reader);

[[nodiscard]] base::Status write_stop(Transaction& transaction, const Stopped& stopped);
// Nothing happens to a service that is not stopped.
[[nodiscard]] base::Status clear_stop(Transaction& transaction, std::string_view by, std::string_view reason,
                                      std::int64_t now_ms);
[[nodiscard]] base::Result<std::optional<Stopped>> read_stop(Database& reader);

}  // namespace glovebox::records

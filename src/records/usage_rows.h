// Counters that are kept while runs end, so that nobody has to add up records: per hour and tenant, per task, and the
// bytes that a tenant's runs take.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "records/account.h"
#include "records/run_record.h"
#include "records/sqlite.h"

namespace glovebox::records {

struct RunBytes {
  std::uint64_t output_bytes = 0;  // kept of stdout and stderr
  std::uint64_t artifact_bytes = 0;
};
[[nodiscard]] RunBytes bytes_of(const contract::RunResult& result);

// A run has ended.
[[nodiscard]] base::Status count_run(Database& writer, const RunSummary& run, const RunBytes& bytes);
[[nodiscard]] base::Status add_storage(Database& writer, std::string_view tenant, std::int64_t bytes);
[[nodiscard]] base::Status forget_tasks(Database& writer, std::int64_t before_ms);

[[nodiscard]] base::Result<TaskUsage> read_task(Database& reader, std::string_view tenant, std::string_view task_id);
[[nodiscard]] base::Result<std::vector<UsageBucket>> read_usage(Database& reader, std::string_view tenant,
                                                                std::int64_t from_ms, std::int64_t to_ms,
                                                                std::int64_t bucket_ms);
[[nodiscard]] base::Result<std::uint64_t> read_storage(Database& reader, std::string_view tenant);

}  // namespace glovebox::records

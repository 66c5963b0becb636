#include "records/usage_rows.h"

#include <algorithm>
#include <limits>

namespace glovebox::records {
namespace {

using base::Result;
using base::Status;

constexpr std::int64_t kHourMs = 3'600'000;

Status count_hour(Database& writer, const RunSummary& run, const RunBytes& bytes, double wall_ms, double cpu_ms) {
  Statement statement = TRY(writer.prepare(
      "INSERT INTO usage (hour, tenant, runs, failed, cached, wall_ms, cpu_ms, output_bytes, artifact_bytes) "
      "VALUES (?1, ?2, 1, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (hour, tenant) DO UPDATE SET runs = runs + 1, "
      "failed = failed + ?3, cached = cached + ?4, wall_ms = wall_ms + ?5, cpu_ms = cpu_ms + ?6, "
      "output_bytes = output_bytes + ?7, artifact_bytes = artifact_bytes + ?8"));
  statement.bind(run.finished_ms / kHourMs, run.tenant, !run.success, run.cached, wall_ms, cpu_ms, bytes.output_bytes,
                 bytes.artifact_bytes);
  return statement.run();
}

// Neither a program that was not run or was stopped, nor what was our fault, nor an answer that was given before.
bool is_failed_attempt(const RunSummary& run) {
  using contract::Outcome;
  const auto is = [&](auto... outcomes) { return ((run.outcome == outcomes) || ...); };
  return !run.success && !run.cached && run.outcome &&
         !is(Outcome::rejected, Outcome::cancelled, Outcome::setup_failed, Outcome::internal_error);
}

Status count_attempt(Database& writer, const RunSummary& run, const RunBytes& bytes, double wall_ms, double cpu_ms) {
  Statement statement = TRY(writer.prepare(
      "INSERT INTO tasks (tenant, task_id, attempts, failed, wall_ms, cpu_ms, output_bytes, artifact_bytes, "
      "updated_ms) "
      "VALUES (?1, ?2, 1, ?8, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (tenant, task_id) DO UPDATE SET attempts = attempts + 1, "
      "failed = failed + ?8, wall_ms = wall_ms + ?3, cpu_ms = cpu_ms + ?4, output_bytes = output_bytes + ?5, "
      "artifact_bytes = artifact_bytes + ?6, updated_ms = max(updated_ms, ?7)"));
  statement.bind(run.tenant, run.task_id, wall_ms, cpu_ms, bytes.output_bytes, bytes.artifact_bytes, run.finished_ms,
                 is_failed_attempt(run));
  return statement.run();
}

}  // namespace

RunBytes bytes_of(const contract::RunResult& result) {
  RunBytes bytes;
  bytes.output_bytes = result.standard_output.size() + result.standard_error.size();
  for (const contract::Artifact& artifact : result.artifacts) {
    bytes.artifact_bytes += artifact.bytes;
  }
  return bytes;
}

Status count_run(Database& writer, const RunSummary& run, const RunBytes& bytes) {
  // A cached answer carries the times of the run that it was taken from.
  const double wall_ms = run.cached ? 0 : run.wall_ms;
  const double cpu_ms = run.cached ? 0 : run.cpu_ms;
  TRY_STATUS(count_hour(writer, run, bytes, wall_ms, cpu_ms));
  if (!run.task_id.empty()) {
    TRY_STATUS(count_attempt(writer, run, bytes, wall_ms, cpu_ms));
  }
  return add_storage(writer, run.tenant, static_cast<std::int64_t>(run.stored_bytes));
}

Status add_storage(Database& writer, std::string_view tenant, std::int64_t bytes) {
  Statement statement =
      TRY(writer.prepare("INSERT INTO storage (tenant, stored_bytes) VALUES (?1, ?2) ON CONFLICT (tenant) "
                         "DO UPDATE SET stored_bytes = stored_bytes + ?2"));
  statement.bind(tenant, bytes);
  return statement.run();
}

Status forget_tasks(Database& writer, std::int64_t before_ms) {
  Statement statement = TRY(writer.prepare("DELETE FROM tasks WHERE updated_ms < ?1"));
  statement.bind(before_ms);
  return statement.run();
}

Result<TaskUsage> read_task(Database& reader, std::string_view tenant, std::string_view task_id) {
  Statement statement =
      TRY(reader.prepare("SELECT attempts, wall_ms, cpu_ms, output_bytes, artifact_bytes, failed FROM tasks "
                         "WHERE tenant = ?1 AND task_id = ?2"));
  statement.bind(tenant, task_id);
  TaskUsage usage;
  if (TRY(statement.step())) {
    usage.attempts = statement.count(0);
    usage.wall_ms = statement.real(1);
    usage.cpu_ms = statement.real(2);
    usage.output_bytes = statement.count(3);
    usage.artifact_bytes = statement.count(4);
    usage.failed = statement.count(5);
  }
  return usage;
}

Result<std::vector<UsageBucket>> read_usage(Database& reader, std::string_view tenant, std::int64_t from_ms,
                                            std::int64_t to_ms, std::int64_t bucket_ms) {
  from_ms = std::max<std::int64_t>(from_ms, 0);
  to_ms = std::clamp<std::int64_t>(to_ms, 0, std::numeric_limits<std::int64_t>::max() - kHourMs);
  bucket_ms = std::clamp<std::int64_t>(bucket_ms, 1, std::numeric_limits<std::int64_t>::max() - kHourMs);
  const std::int64_t first_hour = from_ms / kHourMs;
  const std::int64_t end_hour = (to_ms + kHourMs - 1) / kHourMs;
  const std::int64_t bucket_hours = (bucket_ms + kHourMs - 1) / kHourMs;
  Statement statement = TRY(reader.prepare(
      "SELECT (hour - ?1) / ?3 AS bucket, sum(runs), sum(failed), sum(cached), sum(wall_ms), sum(cpu_ms), "
      "sum(output_bytes), sum(artifact_bytes) FROM usage WHERE hour >= ?1 AND hour < ?2 AND (?4 = '' OR tenant = ?4) "
      "GROUP BY bucket ORDER BY bucket"));
  statement.bind(first_hour, end_hour, bucket_hours, tenant);
  std::vector<UsageBucket> buckets;
  while (TRY(statement.step())) {
    UsageBucket bucket;
    bucket.start_ms = (first_hour + statement.integer(0) * bucket_hours) * kHourMs;
    bucket.runs = statement.count(1);
    bucket.failed = statement.count(2);
    bucket.cached = statement.count(3);
    bucket.wall_ms = statement.real(4);
    bucket.cpu_ms = statement.real(5);
    bucket.output_bytes = statement.count(6);
    bucket.artifact_bytes = statement.count(7);
    buckets.push_back(bucket);
  }
  return buckets;
}

Result<std::uint64_t> read_storage(Database& reader, std::string_view tenant) {
  Statement statement =
      TRY(reader.prepare("SELECT coalesce(sum(stored_bytes), 0) FROM storage WHERE ?1 = '' OR tenant = ?1"));
  statement.bind(tenant);
  TRY(statement.step());
  return statement.count(0);
}

}  // namespace glovebox::records

// The store: what outlives a run and the service. Runs, their contents, the audit log, keys, quotas, usage.
//
// Below one directory (0700 where the store makes it, every file 0600):
//   glovebox.db    SQLite in WAL mode; other processes may read and write it meanwhile
//   contents/      what takes more than 64 KiB compressed, one file per SHA-256; the rest is in the database
//   audit.head     where the audit log ended after the last commit
//   serve.lock     held by the one service that works on this directory
//
// Every method may be called from any thread. Reads take a connection each and see everything that was committed
// before. Writes meet in one queue: the first thread that comes becomes the leader, commits what everybody has queued
// in one transaction and wakes them, so that a method that returned has survived kill -9 (not a power cut: the log is
// not synced per commit). begin() alone does not wait; a background thread commits it a few milliseconds later,
// unless finish() takes it along. Hashing, compressing and JSON happen before the queue, on the caller's thread.
//
// Callers give the time, so that tests own the clock. `actor` is who did it, for the audit log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "records/account.h"
#include "records/approval.h"
#include "records/audit.h"
#include "records/run_record.h"

namespace glovebox::records {

inline constexpr std::size_t kMaxPageRuns = 1000;

// The answer to "may this idempotency key run?" (K3). In every case but `claimed` the run_id is the earlier run's.
struct Claim {
  enum class Kind {
    claimed,      // yes: nobody has used the key
    running,      // the same request is running now
    finished,     // the same request has run; its result is in the record
    interrupted,  // the same request was cut off when the service died
    deleted,      // the same request has run, and its record was deleted since
    conflict,     // the key was used for another request
  };
  Kind kind = Kind::claimed;
  std::string run_id;
  bool operator==(const Claim&) const = default;
};

// 0: no bound. Bytes count every run by itself, shared contents too.
struct Retention {
  std::int64_t max_age_ms = 0;
  std::uint64_t max_bytes = 0;
};

struct RetentionReport {
  std::uint64_t runs = 0;
  std::uint64_t stored_bytes = 0;
  bool operator==(const RetentionReport&) const = default;
};

class Store {
 public:
  virtual ~Store() = default;

  // --- the service's life ---

  // Makes this the one service on the directory until the store is destroyed; refuses when another one is. Sweeps what
  // a crash may have left behind. Call before mark_interrupted and before the first begin.
  [[nodiscard]] virtual base::Status lock_for_serving() = 0;
  // Runs and claims that an earlier service left running become `interrupted`; the number of runs. Runs of other
  // processes are left alone for a day.
  [[nodiscard]] virtual base::Result<std::uint64_t> mark_interrupted(std::int64_t now_ms) = 0;

  // --- runs ---

  // Returns at once; a failure to write it is reported by finish. Refuses a request that breaks the contract's rules:
  // such a record could not be read back.
  [[nodiscard]] virtual base::Status begin(RunStart start) = 0;
  // Committed when it returns. Fails for a run that is not running.
  [[nodiscard]] virtual base::Status finish(RunEnd end) = 0;
  // begin and finish of a run that never was in flight.
  [[nodiscard]] virtual base::Status record(RunStart start, RunEnd end) = 0;

  [[nodiscard]] virtual base::Result<std::optional<RunRecord>> find(std::string_view run_id) = 0;
  // An empty cursor starts with the newest. The limit is held to 1 … kMaxPageRuns.
  [[nodiscard]] virtual base::Result<RunPage> list(const RunFilter& filter, std::string_view cursor,
                                                   std::size_t limit) = 0;
  // Nothing when the run has no such artifact, or its bytes were not kept.
  [[nodiscard]] virtual base::Result<std::optional<StoredArtifact>> artifact(std::string_view run_id,
                                                                             std::string_view path) = 0;
  // False: no such run. A run in flight cannot be removed.
  [[nodiscard]] virtual base::Result<bool> remove(std::string_view run_id, std::string_view actor,
                                                  std::int64_t now_ms) = 0;
  // Removes the oldest runs that are not running, a few at a time: other writers get their turn between.
  [[nodiscard]] virtual base::Result<RetentionReport> apply_retention(const Retention& retention,
                                                                      std::int64_t now_ms) = 0;

  // --- idempotency, cache, budgets, usage ---

  // Atomic over threads and processes. The run that claimed must begin() with this key; finish() settles the claim.
  [[nodiscard]] virtual base::Result<Claim> claim(std::string_view tenant, std::string_view key,
                                                  std::string_view request_sha256, std::string_view run_id,
                                                  std::int64_t now_ms) = 0;
  // Gives a claim back: the run did not happen and the key may be tried again (overload, for one).
  [[nodiscard]] virtual base::Status release_claim(std::string_view tenant, std::string_view key,
                                                   std::string_view run_id) = 0;
  // The newest finished, cacheable run of this tenant with this key that ended at not_before_ms or later.
  [[nodiscard]] virtual base::Result<std::optional<std::string>> find_cached(std::string_view tenant,
                                                                             std::string_view cache_key,
                                                                             std::int64_t not_before_ms) = 0;
  // Ended runs only; what is in flight is the caller's to count.
  [[nodiscard]] virtual base::Result<TaskUsage> task_usage(std::string_view tenant, std::string_view task_id) = 0;
  // Buckets from from_ms (rounded down to the hour) to to_ms, oldest first, without empty ones; bucket_ms is rounded up
  // to whole hours. Survives deletion and retention. An empty tenant means all.
  [[nodiscard]] virtual base::Result<std::vector<UsageBucket>> usage(std::string_view tenant, std::int64_t from_ms,
                                                                     std::int64_t to_ms, std::int64_t bucket_ms) = 0;
  // What the tenant's runs take now; every run counts its contents, shared ones too. An empty tenant means all.
  [[nodiscard]] virtual base::Result<std::uint64_t> stored_bytes(std::string_view tenant) = 0;

  // --- keys, quotas, the stop switch ---

  [[nodiscard]] virtual base::Status add_key(const KeyRecord& key, std::string_view actor) = 0;
  [[nodiscard]] virtual base::Result<std::vector<KeyRecord>> keys() = 0;
  // False: no such key, or it was revoked before.
  [[nodiscard]] virtual base::Result<bool> revoke_key(std::string_view id, std::string_view actor,
                                                      std::int64_t now_ms) = 0;
  // Revoked and expired keys too: the caller tells why it refuses.
  [[nodiscard]] virtual base::Result<std::optional<KeyRecord>> find_key(std::string_view secret_sha256) = 0;
  // Whether a key was ever created, revoked ones included: loopback without a key ends with the first one.
  [[nodiscard]] virtual base::Result<bool> any_key() = 0;
  // Returns at once; written in the background.
  virtual void note_key_use(std::string_view id, std::int64_t now_ms) = 0;

  [[nodiscard]] virtual base::Status set_quota(std::string_view tenant, const Quota& quota, std::string_view actor,
                                               std::int64_t now_ms) = 0;
  // All zero when nothing was set.
  [[nodiscard]] virtual base::Result<Quota> quota(std::string_view tenant) = 0;
  [[nodiscard]] virtual base::Result<std::vector<TenantQuota>> quotas() = 0;

  // The policy profile that a tenant is bound to; empty: to none.
  [[nodiscard]] virtual base::Status set_tenant_policy(std::string_view tenant, std::string_view policy,
                                                       std::string_view actor, std::int64_t now_ms) = 0;
  [[nodiscard]] virtual base::Result<std::string> tenant_policy(std::string_view tenant) = 0;
  // Tenants that are bound to one.
  [[nodiscard]] virtual base::Result<std::vector<TenantPolicy>> tenant_policies() = 0;

  [[nodiscard]] virtual base::Status stop(const Stopped& stopped) = 0;
  [[nodiscard]] virtual base::Status resume(std::string_view by, std::string_view reason, std::int64_t now_ms) = 0;
  [[nodiscard]] virtual base::Result<std::optional<Stopped>> stopped() = 0;

  // --- approvals ---

  // Asks: the pending approval of the same request, policy and tenant if there is one, else the given one, kept.
  [[nodiscard]] virtual base::Result<Approval> ask_approval(const Approval& question, std::string_view actor) = 0;
  // Uses one that was approved; nothing if there is none. Atomic: an approval serves one run.
  [[nodiscard]] virtual base::Result<std::optional<Approval>> use_approval(const ApprovalKey& key,
                                                                           std::string_view run_id,
                                                                           std::int64_t now_ms) = 0;
  // Nothing: there is no such approval. Once approved it can be used until usable_until_ms.
  [[nodiscard]] virtual base::Result<std::optional<Answered>> answer_approval(std::string_view id,
                                                                              const NewAnswer& answer) = 0;
  // False: it was not pending any more.
  [[nodiscard]] virtual base::Result<bool> expire_approval(std::string_view id, std::string_view reason,
                                                           std::int64_t now_ms) = 0;
  // All that are pending, when nobody is left who waits for them; how many.
  [[nodiscard]] virtual base::Result<std::uint64_t> expire_approvals(std::string_view reason, std::int64_t now_ms) = 0;
  [[nodiscard]] virtual base::Status forget_approvals(std::int64_t before_ms) = 0;
  [[nodiscard]] virtual base::Result<std::optional<Approval>> find_approval(std::string_view id) = 0;
  // An empty cursor starts with the newest. The details are without the request and the decision.
  [[nodiscard]] virtual base::Result<ApprovalPage> approvals(const ApprovalFilter& filter, std::string_view cursor,
                                                             std::size_t limit) = 0;

  // --- audit ---

  // Entries about single runs are the store's own to write.
  [[nodiscard]] virtual base::Status append_audit(AuditEvent event) = 0;
  // Entries with a greater number than after_seq, oldest first.
  [[nodiscard]] virtual base::Result<std::vector<AuditEntry>> audit_entries(std::uint64_t after_seq,
                                                                            std::size_t limit) = 0;
  [[nodiscard]] virtual base::Result<Anchor> audit_anchor() = 0;
  // Reads the whole log, every record and what is stored of them. An Error means that it could not be read; a problem
  // is part of the report.
  [[nodiscard]] virtual base::Result<AuditReport> verify_audit(const std::vector<Anchor>& anchors,
                                                               ReadContents read_contents = ReadContents::yes) = 0;
};

// Creates the directory and the database where they are missing, and brings an older database up to date. One from a
// newer version is refused.
[[nodiscard]] base::Result<std::unique_ptr<Store>> open_sqlite_store(const std::string& directory);

}  // namespace glovebox::records

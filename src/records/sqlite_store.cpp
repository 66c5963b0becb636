// The Store on SQLite: every method is one write through the queue, or one read on a lent connection.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

#include "base/fd.h"
#include "contract/json_parse.h"
#include "os/files.h"
#include "os/private_place.h"
#include "records/account_rows.h"
#include "records/approval_rows.h"
#include "records/audit_verify.h"
#include "records/claim_rows.h"
#include "records/commit_queue.h"
#include "records/content_check.h"
#include "records/contents.h"
#include "records/housekeeper.h"
#include "records/readers.h"
#include "records/run_journal.h"
#include "records/run_removal.h"
#include "records/run_texts.h"
#include "records/schema.h"
#include "records/store.h"
#include "records/usage_rows.h"

namespace glovebox::records {
namespace {

using base::errno_error;
using base::ErrorCode;
using base::fail;
using base::Fd;
using base::Result;
using base::Status;

constexpr std::size_t kMaxAuditPage = 10'000;

// Kinds that the store writes itself, with details that verify_audit relies on.
bool is_own_kind(std::string_view kind) {
  return kind == audit_kind::kRunFinished || kind == audit_kind::kRunRefused || kind == audit_kind::kRunInterrupted ||
         kind == audit_kind::kRunDeleted || kind == audit_kind::kRetention;
}

bool is_kind(std::string_view kind) {
  return !kind.empty() && kind.size() <= 64 && std::all_of(kind.begin(), kind.end(), [](char letter) {
    return letter == '_' || (letter >= 'a' && letter <= 'z');
  });
}

class SqliteStore : public Store {
 public:
  SqliteStore(std::string directory, Database writer, AuditHead head, Database checkpointer)
      : directory_(std::move(directory)),
        contents_(directory_),
        readers_(directory_ + "/glovebox.db"),
        queue_(std::move(writer), std::move(head)),
        journal_(queue_, readers_, contents_),
        housekeeper_(queue_, std::move(checkpointer)) {}

  // The writer tells the housekeeper, which exists only now.
  [[nodiscard]] Status watch_log() {
    return queue_.alone([this](Database& writer) -> Status {
      writer.watch_log([](void* self, int pages) { static_cast<SqliteStore*>(self)->housekeeper_.log_has(pages); },
                       this);
      return {};
    });
  }

  Status lock_for_serving() override;
  Result<std::uint64_t> mark_interrupted(std::int64_t now_ms) override { return journal_.mark_interrupted(now_ms); }

  Status begin(RunStart start) override {
    TRY_STATUS(journal_.begin(std::move(start), origin()));
    housekeeper_.start_posted();
    return {};
  }
  Status finish(RunEnd end) override { return journal_.finish(std::move(end)); }
  Status record(RunStart start, RunEnd end) override {
    return journal_.record(std::move(start), std::move(end), origin());
  }
  Result<std::optional<RunRecord>> find(std::string_view run_id) override;
  Result<RunPage> list(const RunFilter& filter, std::string_view cursor, std::size_t limit) override {
    return read([&](Database& reader) { return list_rows(reader, filter, cursor, limit); });
  }
  Result<std::optional<StoredArtifact>> artifact(std::string_view run_id, std::string_view path) override;
  Result<bool> remove(std::string_view run_id, std::string_view actor, std::int64_t now_ms) override {
    return remove_run(queue_, contents_, run_id, actor, now_ms);
  }
  Result<RetentionReport> apply_retention(const Retention& retention, std::int64_t now_ms) override {
    return remove_old_runs(queue_, contents_, retention, now_ms);
  }

  Result<Claim> claim(std::string_view tenant, std::string_view key, std::string_view request_sha256,
                      std::string_view run_id, std::int64_t now_ms) override {
    const NewClaim claim{tenant, key, request_sha256, run_id, now_ms, is_serving_};
    return queue_.commit_value([&](Transaction& transaction) { return make_claim(transaction.database, claim); });
  }
  Status release_claim(std::string_view tenant, std::string_view key, std::string_view run_id) override {
    return queue_.commit(
        [&](Transaction& transaction) { return drop_claim(transaction.database, tenant, key, run_id); });
  }
  Result<std::optional<std::string>> find_cached(std::string_view tenant, std::string_view cache_key,
                                                 std::int64_t not_before_ms) override;
  Result<TaskUsage> task_usage(std::string_view tenant, std::string_view task_id) override {
    return read([&](Database& reader) { return read_task(reader, tenant, task_id); });
  }
  Result<std::vector<UsageBucket>> usage(std::string_view tenant, std::int64_t from_ms, std::int64_t to_ms,
                                         std::int64_t bucket_ms) override {
    return read([&](Database& reader) { return read_usage(reader, tenant, from_ms, to_ms, bucket_ms); });
  }
  Result<std::uint64_t> stored_bytes(std::string_view tenant) override {
    return read([&](Database& reader) { return read_storage(reader, tenant); });
  }

  Status add_key(const KeyRecord& key, std::string_view actor) override {
    return queue_.commit([&](Transaction& transaction) { return insert_key(transaction, key, actor); });
  }
  Result<std::vector<KeyRecord>> keys() override { return read(read_keys); }
  Result<bool> revoke_key(std::string_view id, std::string_view actor, std::int64_t now_ms) override {
    return queue_.commit_value(
        [&](Transaction& transaction) { return mark_key_revoked(transaction, id, actor, now_ms); });
  }
  Result<std::optional<KeyRecord>> find_key(std::string_view secret_sha256) override {
    return read([&](Database& reader) { return read_key(reader, secret_sha256); });
  }
  Result<bool> any_key() override { return read(has_keys); }
  void note_key_use(std::string_view id, std::int64_t now_ms) override { housekeeper_.key_used(id, now_ms); }

  Status set_quota(std::string_view tenant, const Quota& quota, std::string_view actor, std::int64_t now_ms) override {
    return queue_.commit(
        [&](Transaction& transaction) { return write_quota(transaction, tenant, quota, actor, now_ms); });
  }
  Result<Quota> quota(std::string_view tenant) override {
    return read([&](Database& reader) { return read_quota(reader, tenant); });
  }
  Result<std::vector<TenantQuota>> quotas() override { return read(read_quotas); }

  Status set_tenant_policy(std::string_view tenant, std::string_view policy, std::string_view actor,
                           std::int64_t now_ms) override {
    return queue_.commit(
        [&](Transaction& transaction) { return write_tenant_policy(transaction, tenant, policy, actor, now_ms); });
  }
  Result<std::string> tenant_policy(std::string_view tenant) override {
    return read([&](Database& reader) { return read_tenant_policy(reader, tenant); });
  }
  Result<std::vector<TenantPolicy>> tenant_policies() override { return read(read_tenant_policies); }

  Status stop(const Stopped& stopped) override {
    return queue_.commit([&](Transaction& transaction) { return write_stop(transaction, stopped); });
  }
  Status resume(std::string_view by, std::string_view reason, std::int64_t now_ms) override {
    return queue_.commit([&](Transaction& transaction) { return clear_stop(transaction, by, reason, now_ms); });
  }
  Result<std::optional<Stopped>> stopped() override { return read(read_stop); }

  Result<Approval> ask_approval(const Approval& question, std::string_view actor) override {
    return queue_.commit_value(
        [&](Transaction& transaction) { return ask_approval_row(transaction, question, actor); });
  }
  Result<std::optional<Approval>> use_approval(const ApprovalKey& key, std::string_view run_id,
                                               std::int64_t now_ms) override {
    return queue_.commit_value(
        [&](Transaction& transaction) { return use_approval_row(transaction, key, run_id, now_ms); });
  }
  Result<std::optional<Answered>> answer_approval(std::string_view id, const NewAnswer& answer) override {
    return queue_.commit_value([&](Transaction& transaction) { return answer_approval_row(transaction, id, answer); });
  }
  Result<bool> expire_approval(std::string_view id, std::string_view reason, std::int64_t now_ms) override {
    return queue_.commit_value(
        [&](Transaction& transaction) { return expire_approval_row(transaction, id, reason, now_ms); });
  }
  Result<std::uint64_t> expire_approvals(std::string_view reason, std::int64_t now_ms) override {
    return queue_.commit_value(
        [&](Transaction& transaction) { return expire_approval_rows(transaction, reason, now_ms); });
  }
  Status forget_approvals(std::int64_t before_ms) override {
    return queue_.commit(
        [&](Transaction& transaction) { return forget_approval_rows(transaction.database, before_ms); });
  }
  Result<std::optional<Approval>> find_approval(std::string_view id) override {
    return read([&](Database& reader) { return find_approval_row(reader, id); });
  }
  Result<ApprovalPage> approvals(const ApprovalFilter& filter, std::string_view cursor, std::size_t limit) override {
    return read([&](Database& reader) { return list_approval_rows(reader, filter, cursor, limit); });
  }

  Status append_audit(AuditEvent event) override;
  Result<std::vector<AuditEntry>> audit_entries(std::uint64_t after_seq, std::size_t limit) override;
  Result<Anchor> audit_anchor() override { return read(last_entry); }
  Result<AuditReport> verify_audit(const std::vector<Anchor>& anchors, ReadContents read_contents) override {
    return read([&](Database& reader) -> Result<AuditReport> {
      AuditReport report = TRY(verify_log(reader, directory_, anchors));
      TRY_STATUS(read_contents == ReadContents::yes ? check_contents(reader, contents_, report)
                                                    : count_contents(reader, report));
      return report;
    });
  }

 private:
  [[nodiscard]] Origin origin() const { return is_serving_ ? Origin::service : Origin::other; }

  template <typename Read>
  auto read(Read&& action) -> std::invoke_result_t<Read, Database&> {
    Readers::Lease lease = TRY(readers_.take());
    return action(lease.database());
  }

  // Released last: the next service finds everything written.
  Fd serve_lock_;
  std::atomic<bool> is_serving_ = false;
  std::string directory_;
  Contents contents_;
  Readers readers_;
  CommitQueue queue_;
  RunJournal journal_;
  Housekeeper housekeeper_;
};

Status SqliteStore::lock_for_serving() {
  const std::string path = directory_ + "/serve.lock";
  Fd file = TRY(os::open_private_file(directory_, "serve.lock"));
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return fail(base::make_error(ErrorCode::setup_failed, "another glovebox serves from " + directory_)
                      .with_hint("stop it, or give this one a data directory of its own"));
    }
    return fail(errno_error(ErrorCode::internal_error, "records", "cannot lock " + path));
  }
  serve_lock_ = std::move(file);
  is_serving_ = true;
  return sweep_contents(queue_, contents_);
}

Result<std::optional<RunRecord>> load_record(const Contents& contents, Database& reader, std::string_view run_id) {
  auto row = TRY(find_row(reader, run_id));
  if (!row) {
    return std::nullopt;
  }
  const std::vector<ContentRow> content_rows = TRY(contents_of(reader, row->number));
  RunRecord record;
  record.request = TRY(restore_request(contents, reader, row->request_json, content_rows));
  if (row->result_json) {
    record.result = TRY(restore_result(contents, reader, *row->result_json, content_rows));
  }
  for (const ContentRow& content : content_rows) {
    record.contents.push_back(content.ref);
  }
  record.summary = std::move(row->summary);
  record.idempotency_key = std::move(row->idempotency_key);
  record.request_sha256 = std::move(row->request_sha256);
  record.cache_key = std::move(row->cache_key);
  record.cacheable = row->cacheable;
  record.traceparent = std::move(row->traceparent);
  record.decision_json = std::move(row->decision_json);
  record.redactions = TRY(read_redactions(row->redactions_json));
  record.audit_seq = row->audit_seq;
  return record;
}

Result<std::optional<StoredArtifact>> load_artifact(const Contents& contents, Database& reader, std::string_view run_id,
                                                    std::string_view path) {
  ContentRow row;
  StoredArtifact artifact;
  {
    Statement statement = TRY(reader.prepare(
        "SELECT content_id, coalesce(contents.sha256, run_contents.sha256), run_contents.data, media_type FROM runs "
        "JOIN run_contents USING (number) LEFT JOIN contents USING (content_id) "
        "WHERE run_id = ?1 AND role = 'artifact' AND path = ?2"));
    statement.bind(run_id, path);
    if (!TRY(statement.step())) {
      return std::nullopt;
    }
    row.content_id = statement.optional_integer(0);
    row.ref.sha256 = statement.text(1);
    row.data = statement.text(2);
    artifact.media_type = statement.text(3);
  }
  artifact.bytes = TRY(contents.load(reader, row));
  artifact.sha256 = std::move(row.ref.sha256);
  return artifact;
}

// The statements of one answer must see one state: a run may be deleted between two of them.
template <typename Load>
auto in_snapshot(Database& reader, Load&& load) -> std::invoke_result_t<Load> {
  TRY_STATUS(reader.execute("BEGIN"));
  auto loaded = load();
  TRY_STATUS(reader.execute("ROLLBACK"));
  return loaded;
}

Result<std::optional<RunRecord>> SqliteStore::find(std::string_view run_id) {
  return read(
      [&](Database& reader) { return in_snapshot(reader, [&] { return load_record(contents_, reader, run_id); }); });
}

Result<std::optional<StoredArtifact>> SqliteStore::artifact(std::string_view run_id, std::string_view path) {
  return read([&](Database& reader) {
    return in_snapshot(reader, [&] { return load_artifact(contents_, reader, run_id, path); });
  });
}

Result<std::optional<std::string>> SqliteStore::find_cached(std::string_view tenant, std::string_view cache_key,
                                                            std::int64_t not_before_ms) {
  if (cache_key.empty()) {
    return std::nullopt;
  }
  return read([&](Database& reader) -> Result<std::optional<std::string>> {
    Statement statement = TRY(reader.prepare(
        "SELECT run_id FROM runs WHERE cacheable = 1 AND tenant = ?1 AND cache_key = ?2 AND finished_ms >= ?3 "
        "ORDER BY finished_ms DESC LIMIT 1"));
    statement.bind(tenant, cache_key, not_before_ms);
    if (!TRY(statement.step())) {
      return std::nullopt;
    }
    return statement.text(0);
  });
}

Status SqliteStore::append_audit(AuditEvent event) {
  if (!is_kind(event.kind) || is_own_kind(event.kind)) {
    return fail(ErrorCode::invalid_request, "\"" + event.kind + "\" is not a kind of entry to append");
  }
  event.detail_json = TRY(contract::compact_json(event.detail_json, "detail"));
  return queue_.commit([&](Transaction& transaction) -> Status {
    TRY_STATUS(transaction.audit.append(event));
    return {};
  });
}

Result<std::vector<AuditEntry>> SqliteStore::audit_entries(std::uint64_t after_seq, std::size_t limit) {
  limit = std::clamp<std::size_t>(limit, 1, kMaxAuditPage);
  return read([&](Database& reader) -> Result<std::vector<AuditEntry>> {
    Statement statement = TRY(reader.prepare(
        "SELECT seq, time_ms, kind, actor, subject, detail_json, hash FROM audit WHERE seq > ?1 ORDER BY seq "
        "LIMIT ?2"));
    statement.bind(after_seq, limit);
    std::vector<AuditEntry> entries;
    while (TRY(statement.step())) {
      entries.push_back(read_entry(statement));
    }
    return entries;
  });
}

// Never opens a database that exists: closing that descriptor would drop the locks of this process's connections.
Status create_database_file(const std::string& directory, const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.valid()) {
    os::give_to_owner(file.get(), directory);
    return {};
  }
  if (errno != EEXIST) {
    return fail(errno_error(ErrorCode::internal_error, "records", "cannot create " + path));
  }
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return fail(ErrorCode::setup_failed, path + " is not a regular file");
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Store>> open_sqlite_store(const std::string& directory) {
  TRY_STATUS(os::make_directories(directory));
  const std::string path = directory + "/glovebox.db";
  TRY_STATUS(create_database_file(directory, path));
  Database writer = TRY(Database::open(path, Database::Access::read_write));
  TRY_STATUS(migrate(writer, schema_migrations()));
  AuditHead head = TRY(AuditHead::open(directory, writer));
  Database checkpointer = TRY(Database::open(path, Database::Access::read_write));
  auto store = std::make_unique<SqliteStore>(directory, std::move(writer), std::move(head), std::move(checkpointer));
  TRY_STATUS(store->watch_log());
  return store;
}

}  // namespace glovebox::records

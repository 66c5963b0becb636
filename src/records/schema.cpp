#include "records/schema.h"

#include <string>

#include "base/cleanup.h"

namespace glovebox::records {
namespace {

using base::ErrorCode;
using base::fail;
using base::Result;
using base::Status;

// Lists and filters read `runs` alone, so its rows are narrow: the long texts stand in a table of their own. Every page
// that a commit touches is written to the log whole, so tables and indexes are few.
constexpr const char* kFirstTables = R"sql(
CREATE TABLE runs (
  number INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  tenant TEXT NOT NULL,
  key_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  replay_of TEXT NOT NULL,
  language TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'interrupted')),
  outcome TEXT,
  success INTEGER NOT NULL,
  cached INTEGER NOT NULL,
  cacheable INTEGER NOT NULL,
  created_ms INTEGER NOT NULL,
  finished_ms INTEGER NOT NULL,
  wall_ms REAL NOT NULL,
  cpu_ms REAL NOT NULL,
  redactions INTEGER NOT NULL,
  stored_bytes INTEGER NOT NULL,
  idempotency_key TEXT,
  request_sha256 TEXT NOT NULL,
  cache_key TEXT NOT NULL,
  traceparent TEXT NOT NULL,
  served INTEGER NOT NULL,
  audit_seq INTEGER NOT NULL,
  error_code TEXT NOT NULL
) STRICT;
CREATE INDEX runs_by_time ON runs (created_ms);
CREATE INDEX runs_by_tenant ON runs (tenant, created_ms);
CREATE INDEX runs_by_task ON runs (task_id, created_ms) WHERE task_id <> '';
CREATE INDEX runs_running ON runs (served) WHERE state = 'running';
CREATE INDEX runs_cacheable ON runs (tenant, cache_key, finished_ms) WHERE cacheable = 1;

CREATE TABLE run_texts (
  number INTEGER PRIMARY KEY REFERENCES runs (number),
  request_json TEXT NOT NULL,
  result_json TEXT,
  decision_json TEXT,
  redactions_json TEXT NOT NULL
) STRICT;

-- data is NULL when the bytes are in a file of the folder contents.
CREATE TABLE contents (
  content_id INTEGER PRIMARY KEY,
  sha256 TEXT NOT NULL UNIQUE,
  bytes INTEGER NOT NULL,
  stored_bytes INTEGER NOT NULL,
  encoding TEXT NOT NULL CHECK (encoding IN ('raw', 'zstd')),
  data BLOB
) STRICT;
-- Small bytes stand here with their hash; others by their content_id.
CREATE TABLE run_contents (
  number INTEGER NOT NULL REFERENCES runs (number),
  role TEXT NOT NULL CHECK (role IN ('code', 'stdin', 'file', 'stdout', 'stderr', 'artifact')),
  position INTEGER NOT NULL,
  path TEXT NOT NULL,
  media_type TEXT NOT NULL,
  content_id INTEGER REFERENCES contents (content_id),
  sha256 TEXT CHECK ((sha256 IS NULL) = (content_id IS NOT NULL)),
  data BLOB CHECK ((data IS NULL) = (content_id IS NOT NULL)),
  PRIMARY KEY (number, role, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_contents_by_content ON run_contents (content_id) WHERE content_id IS NOT NULL;

CREATE TABLE claims (
  tenant TEXT NOT NULL,
  key TEXT NOT NULL,
  request_sha256 TEXT NOT NULL,
  run_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'interrupted', 'deleted')),
  claimed_ms INTEGER NOT NULL,
  served INTEGER NOT NULL,
  PRIMARY KEY (tenant, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE tasks (
  tenant TEXT NOT NULL,
  task_id TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  wall_ms REAL NOT NULL,
  cpu_ms REAL NOT NULL,
  output_bytes INTEGER NOT NULL,
  artifact_bytes INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  PRIMARY KEY (tenant, task_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE usage (
  hour INTEGER NOT NULL,
  tenant TEXT NOT NULL,
  runs INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  cached INTEGER NOT NULL,
  wall_ms REAL NOT NULL,
  cpu_ms REAL NOT NULL,
  output_bytes INTEGER NOT NULL,
  artifact_bytes INTEGER NOT NULL,
  PRIMARY KEY (hour, tenant)
) STRICT, WITHOUT ROWID;
CREATE TABLE storage (
  tenant TEXT PRIMARY KEY,
  stored_bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  tenant TEXT NOT NULL,
  secret_sha256 TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER,
  revoked_ms INTEGER,
  last_used_ms INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE quotas (
  tenant TEXT PRIMARY KEY,
  concurrency INTEGER NOT NULL,
  runs_per_minute INTEGER NOT NULL,
  cpu_ms_per_hour INTEGER NOT NULL,
  storage_bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE stopped (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  reason TEXT NOT NULL,
  "by" TEXT NOT NULL,
  since_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE audit (
  seq INTEGER PRIMARY KEY,
  time_ms INTEGER NOT NULL,
  kind TEXT NOT NULL,
  actor TEXT NOT NULL,
  subject TEXT NOT NULL,
  detail_json TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
)sql";

constexpr const char* kPolicyTables = R"sql(
CREATE TABLE approvals (
  id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  run_id TEXT NOT NULL,
  request_sha256 TEXT NOT NULL,
  policy TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'rejected', 'used', 'expired')),
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL,
  answered_ms INTEGER NOT NULL,
  answered_by TEXT NOT NULL,
  note TEXT NOT NULL,
  used_by TEXT NOT NULL,
  detail_json TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX approvals_by_request ON approvals (tenant, request_sha256);
CREATE TABLE tenant_policies (
  tenant TEXT PRIMARY KEY,
  policy TEXT NOT NULL
) STRICT, WITHOUT ROWID;
)sql";

// Failed attempts are what a task's retries are counted by; who asked must not be the one who answers.
constexpr const char* kFailuresAndAskers = R"sql(
ALTER TABLE tasks ADD COLUMN failed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE approvals ADD COLUMN asked_by TEXT NOT NULL DEFAULT '';
)sql";

constexpr const char* kMigrations[] = {kFirstTables, kPolicyTables, kFailuresAndAskers};

Result<std::size_t> version_of(Database& database) {
  Statement statement = TRY(database.prepare("PRAGMA user_version"));
  TRY(statement.step());
  return static_cast<std::size_t>(statement.count(0));
}

Status refuse_newer(std::size_t version, std::size_t known) {
  if (version <= known) {
    return {};
  }
  return fail(base::make_error(ErrorCode::unsupported, "the database has version " + std::to_string(version) +
                                                           "; this program knows up to " + std::to_string(known))
                  .with_hint("use the newer Glovebox that wrote it, or another data directory"));
}

}  // namespace

std::span<const char* const> schema_migrations() { return kMigrations; }

Status migrate(Database& database, std::span<const char* const> migrations) {
  const std::size_t version = TRY(version_of(database));
  TRY_STATUS(refuse_newer(version, migrations.size()));
  if (version == migrations.size()) {
    return {};
  }
  // Two programs may start at once: the version counts that is read under the write lock.
  TRY_STATUS(database.execute("BEGIN IMMEDIATE"));
  base::Cleanup roll_back([&] { (void)database.execute("ROLLBACK"); });
  const std::size_t locked_version = TRY(version_of(database));
  TRY_STATUS(refuse_newer(locked_version, migrations.size()));
  for (std::size_t next = locked_version; next < migrations.size(); ++next) {
    TRY_STATUS(database.execute(migrations[next]));
  }
  TRY_STATUS(database.execute(("PRAGMA user_version = " + std::to_string(migrations.size())).c_str()));
  TRY_STATUS(database.execute("COMMIT"));
  roll_back.release();
  return {};
}

}  // namespace glovebox::records

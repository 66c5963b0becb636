#include "records/account_rows.h"

#include <algorithm>

#include "contract/json_writer.h"
#include "contract/request_rules.h"

namespace glovebox::records {
namespace {

using base::ErrorCode;
using base::fail;
using base::Result;
using base::Status;
using contract::JsonWriter;

// Scopes are stored in one text with spaces between.
bool is_scope(std::string_view scope) {
  return !scope.empty() && scope.size() <= 64 &&
         std::all_of(scope.begin(), scope.end(), [](char letter) { return letter > ' ' && letter <= '~'; });
}

std::string join_scopes(const std::set<std::string>& scopes) {
  std::string text;
  for (const std::string& scope : scopes) {
    text += (text.empty() ? "" : " ") + scope;
  }
  return text;
}

std::set<std::string> split_scopes(std::string_view text) {
  std::set<std::string> scopes;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    scopes.emplace(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return scopes;
}

AuditEvent event_of(std::string_view kind, std::string_view actor, std::string_view subject, std::int64_t time_ms) {
  AuditEvent event;
  event.time_ms = time_ms;
  event.kind = kind;
  event.actor = actor;
  event.subject = subject;
  return event;
}

constexpr std::string_view kKeyColumns =
    "SELECT id, name, tenant, secret_sha256, scopes, created_ms, expires_ms, revoked_ms, last_used_ms FROM keys ";

KeyRecord read_key_row(const Statement& row) {
  KeyRecord key;
  key.id = row.text(0);
  key.name = row.text(1);
  key.tenant = row.text(2);
  key.secret_sha256 = row.text(3);
  key.scopes = split_scopes(row.view(4));
  key.created_ms = row.integer(5);
  key.expires_ms = row.optional_integer(6);
  key.revoked_ms = row.optional_integer(7);
  key.last_used_ms = row.optional_integer(8);
  return key;
}

}  // namespace

Status insert_key(Transaction& transaction, const KeyRecord& key, std::string_view actor) {
  if (key.id.empty() || key.tenant.empty() || !contract::is_sha256_hex(key.secret_sha256) ||
      !std::all_of(key.scopes.begin(), key.scopes.end(), is_scope)) {
    return fail(ErrorCode::invalid_request, "a key needs an id, a tenant, its secret's SHA-256 and scopes of one word");
  }
  const std::string scopes = join_scopes(key.scopes);
  Statement insert = TRY(transaction.database.prepare(
      "INSERT INTO keys (id, name, tenant, secret_sha256, scopes, created_ms, expires_ms, revoked_ms, last_used_ms) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"));
  insert.bind(key.id, key.name, key.tenant, key.secret_sha256, scopes, key.created_ms, key.expires_ms, key.revoked_ms,
              key.last_used_ms);
  TRY_STATUS(insert.run());
  JsonWriter json;
  json.begin_object();
  json.string("name", key.name);
  json.string("tenant", key.tenant);
  json.string("scopes", scopes);
  json.string("secret_sha256", key.secret_sha256);
  json.end_object();
  AuditEvent event = event_of(audit_kind::kKeyCreated, actor, key.id, key.created_ms);
  event.detail_json = json.take(contract::JsonStyle::compact);
  TRY_STATUS(transaction.audit.append(event));
  return {};
}

Result<bool> mark_key_revoked(Transaction& transaction, std::string_view id, std::string_view actor,
                              std::int64_t now_ms) {
  Statement update =
      TRY(transaction.database.prepare("UPDATE keys SET revoked_ms = ?2 WHERE id = ?1 AND revoked_ms IS NULL"));
  update.bind(id, now_ms);
  TRY_STATUS(update.run());
  if (transaction.database.changes() == 0) {
    return false;
  }
  TRY_STATUS(transaction.audit.append(event_of(audit_kind::kKeyRevoked, actor, id, now_ms)));
  return true;
}

Status mark_key_used(Database& writer, std::string_view id, std::int64_t used_ms) {
  Statement update =
      TRY(writer.prepare("UPDATE keys SET last_used_ms = ?2 WHERE id = ?1 AND coalesce(last_used_ms, 0) < ?2"));
  update.bind(id, used_ms);
  return update.run();
}

Result<std::vector<KeyRecord>> read_keys(Database& reader) {
  Statement statement = TRY(reader.prepare_once(std::string(kKeyColumns) + "ORDER BY created_ms, id"));
  std::vector<KeyRecord> keys;
  while (TRY(statement.step())) {
    keys.push_back(read_key_row(statement));
  }
  return keys;
}

Result<std::optional<KeyRecord>> read_key(Database& reader, std::string_view secret_sha256) {
  static const std::string sql = std::string(kKeyColumns) + "WHERE secret_sha256 = ?1";
  Statement statement = TRY(reader.prepare(sql.c_str()));
  statement.bind(secret_sha256);
  if (!TRY(statement.step())) {
    return std::nullopt;
  }
  return read_key_row(statement);
}

Result<bool> has_keys(Database& reader) {
  Statement statement = TRY(reader.prepare("SELECT 1 FROM keys LIMIT 1"));
  return statement.step();
}

Status write_quota(Transaction& transaction, std::string_view tenant, const Quota& quota, std::string_view actor,
                   std::int64_t now_ms) {
  Statement statement = TRY(transaction.database.prepare(
      "INSERT OR REPLACE INTO quotas (tenant, concurrency, runs_per_minute, cpu_ms_per_hour, storage_bytes) "
      "VALUES (?1, ?2, ?3, ?4, ?5)"));
  statement.bind(tenant, quota.concurrency, quota.runs_per_minute, quota.cpu_ms_per_hour, quota.storage_bytes);
  TRY_STATUS(statement.run());
  JsonWriter json;
  json.begin_object();
  json.integer("concurrency", quota.concurrency);
  json.integer("runs_per_minute", quota.runs_per_minute);
  json.integer("cpu_ms_per_hour", quota.cpu_ms_per_hour);
  json.integer("storage_bytes", quota.storage_bytes);
  json.end_object();
  AuditEvent event = event_of(audit_kind::kQuotaChanged, actor, tenant, now_ms);
  event.detail_json = json.take(contract::JsonStyle::compact);
  TRY_STATUS(transaction.audit.append(event));
  return {};
}

Result<std::vector<TenantQuota>> read_quotas(Database& reader) {
  Statement statement = TRY(reader.prepare(
      "SELECT tenant, concurrency, runs_per_minute, cpu_ms_per_hour, storage_bytes FROM quotas ORDER BY tenant"));
  std::vector<TenantQuota> quotas;
  while (TRY(statement.step())) {
    TenantQuota entry;
    entry.tenant = statement.text(0);
    entry.quota.concurrency = statement.count(1);
    entry.quota.runs_per_minute = statement.count(2);
    entry.quota.cpu_ms_per_hour = statement.count(3);
    entry.quota.storage_bytes = statement.count(4);
    quotas.push_back(std::move(entry));
  }
  return quotas;
}

Result<Quota> read_quota(Database& reader, std::string_view tenant) {
  Statement statement = TRY(reader.prepare(
      "SELECT concurrency, runs_per_minute, cpu_ms_per_hour, storage_bytes FROM quotas WHERE tenant = ?1"));
  statement.bind(tenant);
  Quota quota;
  if (TRY(statement.step())) {
    quota.concurrency = statement.count(0);
    quota.runs_per_minute = statement.count(1);
    quota.cpu_ms_per_hour = statement.count(2);
    quota.storage_bytes = statement.count(3);
  }
  return quota;
}

Status write_tenant_policy(Transaction& transaction, std::string_view tenant, std::string_view policy,
                           std::string_view actor, std::int64_t now_ms) {
  if (policy.empty()) {
    Statement remove = TRY(transaction.database.prepare("DELETE FROM tenant_policies WHERE tenant = ?1"));
    remove.bind(tenant);
    TRY_STATUS(remove.run());
  } else {
    Statement write =
        TRY(transaction.database.prepare("INSERT OR REPLACE INTO tenant_policies (tenant, policy) VALUES (?1, ?2)"));
    write.bind(tenant, policy);
    TRY_STATUS(write.run());
  }
  JsonWriter json;
  json.begin_object();
  json.string("policy", policy);
  json.end_object();
  AuditEvent event = event_of(audit_kind::kTenantPolicyChanged, actor, tenant, now_ms);
  event.detail_json = json.take(contract::JsonStyle::compact);
  TRY_STATUS(transaction.audit.append(event));
  return {};
}

Result<std::string> read_tenant_policy(Database& reader, std::string_view tenant) {
  Statement statement = TRY(reader.prepare("SELECT policy FROM tenant_policies WHERE tenant = ?1"));
  statement.bind(tenant);
  return TRY(statement.step()) ? statement.text(0) : std::string();
}

Result<std::vector<TenantPolicy>> read_tenant_policies(Database& reader) {
  Statement statement = TRY(reader.prepare("SELECT tenant, policy FROM tenant_policies ORDER BY tenant"));
  std::vector<TenantPolicy> policies;
  while (TRY(statement.step())) {
    policies.push_back({statement.text(0), statement.text(1)});
  }
  return policies;
}

Status write_stop(Transaction& transaction, const Stopped& stopped) {
  Statement statement = TRY(transaction.database.prepare(
      "INSERT OR REPLACE INTO stopped (only, reason, \"by\", since_ms) VALUES (1, ?1, ?2, ?3)"));
  statement.bind(stopped.reason, stopped.by, stopped.since_ms);
  TRY_STATUS(statement.run());
  JsonWriter json;
  json.begin_object();
  json.string("reason", stopped.reason);
  json.end_object();
  AuditEvent event = event_of(audit_kind::kServiceStopped, stopped.by, {}, stopped.since_ms);
  event.detail_json = json.take(contract::JsonStyle::compact);
  TRY_STATUS(transaction.audit.append(event));
  return {};
}

Status clear_stop(Transaction& transaction, std::string_view by, std::string_view reason, std::int64_t now_ms) {
  TRY_STATUS(transaction.database.execute("DELETE FROM stopped"));
  if (transaction.database.changes() != 0) {
    contract::JsonWriter json;
    json.begin_object();
    json.string("reason", reason);
    json.end_object();
    AuditEvent event = event_of(audit_kind::kServiceResumed, by, {}, now_ms);
    event.detail_json = json.take(contract::JsonStyle::compact);
    TRY_STATUS(transaction.audit.append(event));
  }
  return {};
}

Result<std::optional<Stopped>> read_stop(Database& reader) {
  Statement statement = TRY(reader.prepare("SELECT reason, \"by\", since_ms FROM stopped"));
  if (!TRY(statement.step())) {
    return std::nullopt;
  }
  Stopped stopped;
  stopped.reason = statement.text(0);
  stopped.by = statement.text(1);
  stopped.since_ms = statement.integer(2);
  return stopped;
}

}  // namespace glovebox::records

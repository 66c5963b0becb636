#include <cstdio>

#include "base/sha256.h"
#include "base/timestamp.h"
#include "base/utf8.h"
#include "cli/api_key.h"
#include "cli/app.h"
#include "cli/moments.h"
#include "cli/records_flags.h"
#include "cli/table.h"
#include "contract/json_writer.h"
#include "runner/caller.h"
#include "runner/ledger.h"

namespace glovebox::cli {
namespace {

using base::ErrorCode;
using base::fail;
using base::make_error;
using base::Result;
using contract::JsonWriter;
using records::KeyRecord;

constexpr std::size_t kMaxNameBytes = 100;

struct KeysFlags {
  RecordsFlags records;
  std::string name;
  std::string tenant = std::string(runner::kDefaultTenant);
  std::vector<std::string> scopes;
  std::string expires;
  std::string id;
};

const char* state_of(const KeyRecord& key, std::int64_t now_ms) {
  return key.revoked_ms ? "revoked" : key.expires_ms && *key.expires_ms <= now_ms ? "expired" : "active";
}

// Without end_object, so that a new key can add its secret. The hash of the secret is nobody's business.
void begin_key(JsonWriter& json, const KeyRecord& key, std::int64_t now_ms) {
  json.begin_object();
  json.string("id", key.id);
  json.string("name", key.name);
  json.string("tenant", key.tenant);
  json.key("scopes");
  json.begin_array();
  for (const std::string& scope : key.scopes) {
    json.string(scope);
  }
  json.end_array();
  json.string("state", state_of(key, now_ms));
  write_time(json, "created", key.created_ms);
  write_time(json, "expires", key.expires_ms);
  write_time(json, "revoked", key.revoked_ms);
  write_time(json, "last_used", key.last_used_ms);
}

std::string join(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

Result<KeyRecord> described_key(const KeysFlags& flags, std::int64_t now_ms) {
  if (flags.name.empty() || flags.name.size() > kMaxNameBytes || !base::is_valid_utf8(flags.name) ||
      base::has_deceptive_characters(flags.name)) {
    return fail(flag_error(
        "--name", "a name is 1 to " + std::to_string(kMaxNameBytes) + " bytes of text without control characters"));
  }
  if (!is_tenant_name(flags.tenant)) {
    return fail(flag_error("--tenant", "\"" + flags.tenant + "\" is not a tenant's name")
                    .with_hint("letters, digits, and . _ - between them; at most 64"));
  }
  KeyRecord key;
  key.id = TRY(new_key_id());
  key.name = flags.name;
  key.tenant = flags.tenant;
  key.scopes = {flags.scopes.begin(), flags.scopes.end()};
  if (key.scopes.empty()) {
    key.scopes = {"run", "read"};
  }
  key.created_ms = now_ms;
  if (!flags.expires.empty()) {
    auto expires = parse_future_ms(flags.expires, now_ms);
    if (!expires) {
      return fail(std::move(expires.error()).with_field("--expires"));
    }
    key.expires_ms = *expires;
  }
  return key;
}

Result<int> create_key(const KeysFlags& flags) {
  const std::int64_t now_ms = runner::unix_ms();
  KeyRecord key = TRY(described_key(flags, now_ms));
  const std::string secret = TRY(new_key_secret());
  key.secret_sha256 = base::sha256_hex(secret);
  const auto store = TRY(open_store(flags.records, WhenMissing::create));
  TRY_STATUS(store->add_key(key, local_actor()));
  int status = 0;
  if (flags.records.json) {
    JsonWriter json;
    begin_key(json, key, now_ms);
    json.string("secret", secret);
    json.end_object();
    status = print(json.take(contract::JsonStyle::compact) + "\n");
  } else {
    // The secret alone is on standard output: KEY=$(glovebox keys create --name ci)
    status = print(secret + "\n");
    std::fprintf(stderr, "glovebox: %s for tenant %s may %s; it %s\n  → keep the secret now: it is not stored\n",
                 key.id.c_str(), key.tenant.c_str(), join(key.scopes).c_str(),
                 key.expires_ms ? ("expires " + base::format_timestamp_ms(*key.expires_ms)).c_str() : "never expires");
  }
  if (status != 0) {
    TRY(store->revoke_key(key.id, local_actor(), runner::unix_ms()));
    return fail(ErrorCode::internal_error, "the secret could not be printed, so the key was revoked again");
  }
  return 0;
}

Result<int> list_keys(const KeysFlags& flags) {
  const std::int64_t now_ms = runner::unix_ms();
  const auto store = TRY(open_store(flags.records, WhenMissing::refuse));
  const std::vector<KeyRecord> keys = TRY(store->keys());
  if (flags.records.json) {
    JsonWriter json;
    json.begin_object();
    json.key("keys");
    json.begin_array();
    for (const KeyRecord& key : keys) {
      begin_key(json, key, now_ms);
      json.end_object();
    }
    json.end_array();
    json.end_object();
    return print(json.take(contract::JsonStyle::compact) + "\n");
  }
  Table table({{"KEY"}, {"NAME", 8}, {"TENANT", 8}, {"SCOPES", 8}, {"STATE"}, {"CREATED"}, {"EXPIRES"}, {"LAST USED"}});
  for (const KeyRecord& key : keys) {
    const bool expires = key.expires_ms && *key.expires_ms > now_ms;
    table.add_row({key.id, key.name, key.tenant, join(key.scopes), state_of(key, now_ms),
                   format_ago(key.created_ms, now_ms), expires ? "in " + format_span(*key.expires_ms - now_ms) : "-",
                   key.last_used_ms ? format_ago(*key.last_used_ms, now_ms) : "never"});
  }
  if (table.empty()) {
    std::fprintf(stderr, "glovebox: there are no keys\n");
    return 0;
  }
  return print(table.text());
}

Result<int> revoke_key(const KeysFlags& flags) {
  const auto store = TRY(open_store(flags.records, WhenMissing::refuse));
  const std::int64_t now_ms = runner::unix_ms();
  if (!TRY(store->revoke_key(flags.id, local_actor(), now_ms))) {
    return fail(make_error(ErrorCode::invalid_request,
                           "there is no key " + base::printable(flags.id, kMaxNameBytes) + " that could be revoked")
                    .with_hint("`glovebox keys list` shows the keys and their state"));
  }
  if (flags.records.json) {
    JsonWriter json;
    json.begin_object();
    json.string("id", flags.id);
    write_time(json, "revoked", now_ms);
    json.end_object();
    return print(json.take(contract::JsonStyle::compact) + "\n");
  }
  std::fprintf(stderr, "glovebox: %s is revoked; a running service refuses it within a second\n", flags.id.c_str());
  return 0;
}

}  // namespace

int keys_verb(Arguments arguments) {
  KeysFlags flags;
  CLI::App app(
      "Makes and revokes the API keys of a service. Only a hash of a key is stored; its secret is printed once.\n"
      "With the first key, callers on this machine need one too.",
      "glovebox keys");
  app.require_subcommand(0, 1);
  add_records_flags(app, flags.records);
  CLI::App* create = app.add_subcommand("create", "make a key and print its secret, once");
  create->add_option("--name", flags.name, "what the key is for; lists and the audit log show it")->required();
  create->add_option("--tenant", flags.tenant, "whose runs, quotas and records it is about")->capture_default_str();
  create
      ->add_option("--scope", flags.scopes, "run, read, approve, metrics or admin; repeatable (default: run and read)")
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"run", "read", "approve", "metrics", "admin"}));
  create->add_option("--expires", flags.expires, "after this time: 12h, 90d, 2030-01-01T00:00:00Z (default: never)")
      ->type_name("WHEN");
  add_records_flags(*create, flags.records);
  create->footer(
      "example:\n"
      "  KEY=$(glovebox keys create --name ci --tenant web --scope run --scope read --expires 90d)\n"
      "  curl -H \"Authorization: Bearer $KEY\" http://127.0.0.1:7070/v1/runs\n");
  CLI::App* list =
      app.add_subcommand("list", "show all keys, revoked ones too; the same as without a word")->alias("ls");
  add_records_flags(*list, flags.records);
  CLI::App* revoke = app.add_subcommand("revoke", "end a key for good");
  revoke->add_option("ID", flags.id, "of the key, as `list` shows it: key_…")->required();
  add_records_flags(*revoke, flags.records);
  app.footer("`glovebox keys create --help` has an example.\n");
  if (const auto status = parse(app, std::move(arguments)); status) {
    return *status;
  }
  const auto done = create->parsed() ? create_key(flags) : revoke->parsed() ? revoke_key(flags) : list_keys(flags);
  return done ? *done : report(done.error());
}

}  // namespace glovebox::cli

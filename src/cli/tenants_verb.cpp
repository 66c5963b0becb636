#include <cstdio>
#include <map>

#include "base/units.h"
#include "cli/api_key.h"
#include "cli/app.h"
#include "cli/policy_directory.h"
#include "cli/records_flags.h"
#include "cli/table.h"
#include "contract/json_writer.h"
#include "runner/caller.h"
#include "runner/ledger.h"
#include "runner/policies.h"

namespace glovebox::cli {
namespace {

using base::fail;
using base::Result;
using contract::JsonWriter;
using records::Quota;

constexpr std::uint64_t kMostRuns = 1'000'000'000;
constexpr std::uint64_t kMsPerSecond = 1000;

struct TenantsFlags {
  RecordsFlags records;
  std::string tenant;
  std::optional<std::uint64_t> concurrency;
  std::optional<std::uint64_t> runs_per_minute;
  std::optional<std::uint64_t> cpu_seconds_per_hour;
  std::string storage;
  std::optional<std::string> policy;  // empty: unbind
};

struct Tenant {
  Quota quota;
  std::string policy;      // that every run must pass; empty: none of its own
  std::uint64_t keys = 0;  // that were not revoked
  std::uint64_t stored_bytes = 0;
};

// A tenant is whoever has a key, a quota or a record; the default one is always there.
Result<std::map<std::string, Tenant>> all_tenants(records::Store& store) {
  std::map<std::string, Tenant> tenants;
  tenants[std::string(runner::kDefaultTenant)];
  for (const records::TenantQuota& entry : TRY(store.quotas())) {
    tenants[entry.tenant].quota = entry.quota;
  }
  for (const records::TenantPolicy& entry : TRY(store.tenant_policies())) {
    tenants[entry.tenant].policy = entry.policy;
  }
  for (const records::KeyRecord& key : TRY(store.keys())) {
    tenants[key.tenant].keys += key.revoked_ms ? 0 : 1;
  }
  for (auto& [name, tenant] : tenants) {
    tenant.stored_bytes = TRY(store.stored_bytes(name));
  }
  return tenants;
}

void write_limit(JsonWriter& json, std::string_view name, std::uint64_t limit) {
  json.key(name);
  limit == 0 ? json.null() : json.integer(limit);
}

void write_tenant(JsonWriter& json, const std::string& name, const Tenant& tenant) {
  json.begin_object();
  json.string("tenant", name);
  json.integer("keys", tenant.keys);
  json.integer("stored_bytes", tenant.stored_bytes);
  json.string_or_null("policy", tenant.policy);
  json.key("quota");
  json.begin_object();
  write_limit(json, "concurrency", tenant.quota.concurrency);
  write_limit(json, "runs_per_minute", tenant.quota.runs_per_minute);
  write_limit(json, "cpu_ms_per_hour", tenant.quota.cpu_ms_per_hour);
  write_limit(json, "storage_bytes", tenant.quota.storage_bytes);
  json.end_object();
  json.end_object();
}

std::string number_or_default(std::uint64_t value) { return value == 0 ? "default" : std::to_string(value); }

Result<int> list_tenants(const TenantsFlags& flags) {
  const auto store = TRY(open_store(flags.records, WhenMissing::refuse));
  const std::map<std::string, Tenant> tenants = TRY(all_tenants(*store));
  if (flags.records.json) {
    JsonWriter json;
    json.begin_object();
    json.key("tenants");
    json.begin_array();
    for (const auto& [name, tenant] : tenants) {
      write_tenant(json, name, tenant);
    }
    json.end_array();
    json.end_object();
    return print(json.take(contract::JsonStyle::compact) + "\n");
  }
  using Align = Table::Align;
  Table table({{"TENANT", 12},
               {"KEYS", 0, Align::right},
               {"STORED", 0, Align::right},
               {"AT ONCE", 0, Align::right},
               {"RUNS/MIN", 0, Align::right},
               {"CPU S/H", 0, Align::right},
               {"STORAGE", 0, Align::right},
               {"POLICY", 8}});
  for (const auto& [name, tenant] : tenants) {
    const Quota& quota = tenant.quota;
    const std::uint64_t cpu_s = (quota.cpu_ms_per_hour + kMsPerSecond - 1) / kMsPerSecond;
    table.add_row({name, std::to_string(tenant.keys), base::format_size(tenant.stored_bytes),
                   number_or_default(quota.concurrency), number_or_default(quota.runs_per_minute),
                   number_or_default(cpu_s),
                   quota.storage_bytes == 0 ? "default" : base::format_size(quota.storage_bytes), tenant.policy});
  }
  return print(table.text());
}

Result<int> set_tenant(const TenantsFlags& flags) {
  if (!is_tenant_name(flags.tenant)) {
    return fail(flag_error("TENANT", "\"" + flags.tenant + "\" is not a tenant's name")
                    .with_hint("letters, digits, and . _ - between them; at most 64"));
  }
  const bool sets_quota =
      flags.concurrency || flags.runs_per_minute || flags.cpu_seconds_per_hour || !flags.storage.empty();
  if (!sets_quota && !flags.policy) {
    return fail(
        base::make_error(base::ErrorCode::invalid_request, "nothing to set")
            .with_hint("name a quota: --concurrency, --runs-per-minute, --cpu-seconds-per-hour or --storage; or "
                       "a --policy"));
  }
  if (flags.policy && !flags.policy->empty()) {
    const runner::Config config = TRY(runner::load_config(runner::default_config_files()));
    runner::Policies policies(TRY(policy_places(config, "")));
    if (auto known = policies.effective(*flags.policy, ""); !known) {
      return fail(std::move(known.error()).with_field("--policy"));
    }
  }
  std::optional<std::uint64_t> storage_bytes;
  if (!flags.storage.empty()) {
    const auto size = base::parse_size(flags.storage);
    if (!size) {
      return fail(base::Error(size.error()).with_field("--storage"));
    }
    storage_bytes = *size;
  }
  const auto store = TRY(open_store(flags.records, WhenMissing::create));
  Tenant tenant;
  tenant.quota = TRY(store->quota(flags.tenant));  // what is not named stays
  Quota& quota = tenant.quota;
  quota.concurrency = flags.concurrency.value_or(quota.concurrency);
  quota.runs_per_minute = flags.runs_per_minute.value_or(quota.runs_per_minute);
  quota.cpu_ms_per_hour =
      flags.cpu_seconds_per_hour ? *flags.cpu_seconds_per_hour * kMsPerSecond : quota.cpu_ms_per_hour;
  quota.storage_bytes = storage_bytes.value_or(quota.storage_bytes);
  if (sets_quota) {
    TRY_STATUS(store->set_quota(flags.tenant, quota, local_actor(), runner::unix_ms()));
  }
  if (flags.policy) {
    TRY_STATUS(store->set_tenant_policy(flags.tenant, *flags.policy, local_actor(), runner::unix_ms()));
  }
  if (!flags.records.json) {
    std::fprintf(stderr, "glovebox: set; a running service follows within a second\n");
    return 0;
  }
  tenant = TRY(all_tenants(*store))[flags.tenant];
  JsonWriter json;
  write_tenant(json, flags.tenant, tenant);
  return print(json.take(contract::JsonStyle::compact) + "\n");
}

}  // namespace

int tenants_verb(Arguments arguments) {
  TenantsFlags flags;
  CLI::App app("Shows the tenants of a service and sets their quotas. A tenant begins with its first key.",
               "glovebox tenants");
  app.require_subcommand(0, 1);
  add_records_flags(app, flags.records);
  CLI::App* list = app.add_subcommand("list", "tenants, their keys, what they store and what they may")->alias("ls");
  add_records_flags(*list, flags.records);
  CLI::App* set =
      app.add_subcommand("set", "change quotas or the policy; what is not named stays; 0: the service's default");
  set->add_option("TENANT", flags.tenant, "whose quotas")->required();
  const CLI::Range most(std::uint64_t{0}, kMostRuns);
  set->add_option("--concurrency", flags.concurrency, "runs at the same time")->type_name("N")->check(most);
  set->add_option("--runs-per-minute", flags.runs_per_minute, "more wait or are refused with 429")
      ->type_name("N")
      ->check(most);
  set->add_option("--cpu-seconds-per-hour", flags.cpu_seconds_per_hour, "CPU time within a clock hour")
      ->type_name("N")
      ->check(most);
  set->add_option("--storage", flags.storage, "records of this tenant: 10G")->type_name("SIZE");
  set->add_option("--policy", flags.policy, "a profile that every run of this tenant must pass too; '': none")
      ->type_name("NAME");
  add_records_flags(*set, flags.records);
  set->footer(
      "examples:\n"
      "  glovebox tenants set web --concurrency 4 --runs-per-minute 600 --storage 10G\n"
      "  glovebox tenants set interns --policy sandboxed_python\n");
  if (const auto status = parse(app, std::move(arguments)); status) {
    return *status;
  }
  const auto done = set->parsed() ? set_tenant(flags) : list_tenants(flags);
  return done ? *done : report(done.error());
}

}  // namespace glovebox::cli

#include "runner/ledger.h"

#include <algorithm>
#include <chrono>

#include "os/files.h"
#include "runner/approval_detail.h"
#include "runner/request_hash.h"
#include "runner/runner.h"

namespace glovebox::runner {
namespace {

using base::ErrorCode;
using base::fail;
using base::make_error;
using base::Result;
using base::Status;
using contract::Outcome;
using contract::RunRequest;
using contract::RunResult;

constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::int64_t kSecondMs = 1000;
constexpr std::size_t kMaxRuleFileBytes = 1U << 20U;

Result<redaction::Redactor> make_redactor(const RedactionSettings& settings) {
  redaction::RedactionRules rules;
  if (settings.enabled) {
    rules = TRY(redaction::default_redaction_rules());
  }
  for (const std::string& file : settings.rule_files) {
    const std::string text = TRY(os::read_file(file, kMaxRuleFileBytes));
    rules = redaction::merge_rules(std::move(rules), TRY(redaction::parse_redaction_rules(text, file)));
  }
  return redaction::Redactor::create(std::move(rules), settings.values);
}

void add(std::map<std::string, std::uint32_t>& sum, const std::map<std::string, std::uint32_t>& more) {
  for (const auto& [rule, count] : more) {
    sum[rule] += count;
  }
}

std::string by_key(const LedgerEntry& entry) { return entry.caller.tenant + '\0' + entry.cache_key; }
std::string by_run(const std::string& run_id) { return std::string("run") + '\0' + run_id; }

}  // namespace

std::int64_t unix_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

bool is_cacheable(const RunRequest& request, const RunResult& result) {
  const bool own_end = result.outcome == Outcome::ok || result.outcome == Outcome::program_failed ||
                       result.outcome == Outcome::invalid_output;
  const auto& enforced = result.provenance.enforced;
  const bool degraded = std::find(enforced.begin(), enforced.end(), "degraded") != enforced.end();
  return own_end && result.validation.repeatable && !degraded && request.network.allow.empty() &&
         request.cache != contract::CacheMode::off;
}

Ledger::Ledger(LedgerOptions options, std::unique_ptr<records::Store> store, redaction::Redactor redactor)
    : directory_(std::move(options.directory)),
      settings_(std::move(options.settings)),
      serves_(options.use == LedgerUse::serve),
      store_(std::move(store)),
      redactor_(std::move(redactor)),
      governor_(*store_, settings_),
      cache_(settings_.cache.memory_bytes) {}

Result<std::unique_ptr<Ledger>> Ledger::open(LedgerOptions options) {
  auto redactor = TRY(make_redactor(options.settings.redaction));
  auto store = TRY(records::open_sqlite_store(options.directory));
  if (options.use == LedgerUse::serve) {
    TRY_STATUS(store->lock_for_serving());
    TRY(store->mark_interrupted(unix_ms()));
    TRY(store->expire_approvals("the service was started again", unix_ms()));
  }
  std::unique_ptr<Ledger> ledger(new Ledger(std::move(options), std::move(store), std::move(redactor)));
  TRY_STATUS(ledger->governor_.load());
  return ledger;
}

LedgerEntry Ledger::open_entry(const RunRequest& request, const RunOptions& options) const {
  LedgerEntry entry;
  entry.run_id = options.run_id;
  entry.caller = options.caller;
  entry.replay_of = options.replay_of;
  entry.created_ms = unix_ms();
  entry.request_sha256 = hash_of_request(request);
  return entry;
}

void Ledger::choose_cache_key(LedgerEntry& entry, const RunRequest& request,
                              const contract::Provenance& provenance) const {
  if (request.cache != contract::CacheMode::off && settings_.cache.ttl_s != 0) {
    entry.cache_key = cache_key_of(entry.request_sha256, provenance.image_digest, provenance.policy);
  }
}

void Ledger::record_refusal(const RunRequest& request, const RunOptions& options, const RunResult& result,
                            std::optional<std::string> decision_json) {
  LedgerEntry entry = open_entry(request, options);
  entry.decision_json = std::move(decision_json);
  RunRequest refused = request;
  refused.idempotency_key.reset();  // never claimed
  (void)finish(entry, refused, result);
}

Result<std::optional<RunResult>> Ledger::claim(LedgerEntry& entry, const std::string& key, Flights::Seat& seat) {
  const std::string flight = std::string("key") + '\0' + entry.caller.tenant + '\0' + key;
  while (true) {
    seat = flights_.join(flight);
    if (seat.leads()) {
      break;
    }
    seat.wait();
  }
  const records::Claim claim =
      TRY(store_->claim(entry.caller.tenant, key, entry.request_sha256, entry.run_id, unix_ms()));
  switch (claim.kind) {
    case records::Claim::Kind::claimed:
      entry.claimed = true;
      return std::optional<RunResult>();
    case records::Claim::Kind::conflict:
      return fail(make_error(ErrorCode::idempotency_conflict, "this key was used for another request, " + claim.run_id)
                      .with_field("idempotency_key"));
    case records::Claim::Kind::running:
      return fail(
          make_error(ErrorCode::overloaded, "a run with this key is going on: " + claim.run_id).with_retry_after(1));
    case records::Claim::Kind::interrupted:
      return fail(ErrorCode::interrupted, "the run with this key, " + claim.run_id + ", was cut off");
    case records::Claim::Kind::deleted:
      return fail(ErrorCode::interrupted, "the run with this key, " + claim.run_id + ", was deleted since");
    case records::Claim::Kind::finished:
      break;
  }
  if (auto recent = cache_.find(by_run(claim.run_id), 0); recent) {
    recent->cached = true;
    return recent;
  }
  auto record = TRY(store_->find(claim.run_id));
  if (!record || !record->result) {
    return fail(ErrorCode::interrupted, "the record of the run with this key, " + claim.run_id + ", is gone");
  }
  record->result->cached = true;
  return std::optional<RunResult>(std::move(*record->result));
}

std::optional<RunResult> Ledger::find_cached(const LedgerEntry& entry, Flights::Seat& seat) {
  if (entry.cache_key.empty() || settings_.cache.ttl_s == 0) {
    return std::nullopt;
  }
  const auto look = [&]() -> std::optional<RunResult> {
    const std::int64_t not_before = unix_ms() - static_cast<std::int64_t>(settings_.cache.ttl_s) * 1000;
    if (auto recent = cache_.find(by_key(entry), not_before); recent) {
      return recent;
    }
    // After a restart. What was redacted is not the answer that was given.
    const auto run_id = store_->find_cached(entry.caller.tenant, entry.cache_key, not_before);
    if (!run_id || !*run_id) {
      return std::nullopt;
    }
    auto record = store_->find(**run_id);
    if (!record || !*record || !(*record)->result || (*record)->summary.redactions != 0) {
      return std::nullopt;
    }
    RunResult result = std::move(*(*record)->result);
    for (contract::Artifact& artifact : result.artifacts) {
      auto stored = store_->artifact(**run_id, artifact.path);
      if (!stored || !*stored) {
        return std::nullopt;
      }
      artifact.content = std::move((*stored)->bytes);
    }
    return result;
  };
  if (auto found = look(); found) {
    return found;
  }
  seat = flights_.join(std::string("cache") + '\0' + by_key(entry));
  if (seat.leads()) {
    return std::nullopt;
  }
  seat.wait();
  return cache_.find(by_key(entry), 0);  // nothing: the leader's answer was not one to share
}

Status Ledger::begin(LedgerEntry& entry, const RunRequest& request) {
  records::RunStart start;
  start.run_id = entry.run_id;
  start.tenant = entry.caller.tenant;
  start.key_id = entry.caller.key_id;
  start.task_id = entry.caller.task_id;
  start.idempotency_key = request.idempotency_key;
  start.request_sha256 = entry.request_sha256;
  start.cache_key = entry.cache_key;
  start.created_ms = entry.created_ms;
  start.traceparent = entry.caller.traceparent;
  start.replay_of = entry.replay_of;
  start.request = request;
  add(entry.redactions, redactor_.redact(start.request));
  entry.begun = true;
  return store_->begin(std::move(start));
}

Status Ledger::finish(LedgerEntry& entry, const RunRequest& request, const RunResult& result) {
  if (!entry.begun) {
    TRY_STATUS(begin(entry, request));
  }
  records::RunEnd end;
  end.run_id = entry.run_id;
  end.finished_ms = unix_ms();
  end.result = result;
  add(entry.redactions, redactor_.redact(end.result));
  if (entry.decision_json) {
    redaction::Redacted decision = redactor_.redact_json(*entry.decision_json);
    add(entry.redactions, decision.counts);
    end.decision_json = std::move(decision.text);
  }
  end.redactions = entry.redactions;
  end.cacheable = !entry.cache_key.empty() && !result.cached && is_cacheable(request, result);
  const bool share = end.cacheable;
  TRY_STATUS(store_->finish(std::move(end)));
  if (share) {
    cache_.put(by_key(entry), result, unix_ms());
  }
  if (entry.claimed) {
    cache_.put(by_run(entry.run_id), result, unix_ms());
  }
  return {};
}

RunResult Ledger::redacted(RunResult result) const {
  redactor_.redact(result);
  return result;
}

void Ledger::give_back(const LedgerEntry& entry, const RunRequest& request) {
  if (entry.claimed && !entry.begun && request.idempotency_key) {
    (void)store_->release_claim(entry.caller.tenant, *request.idempotency_key, entry.run_id);
  }
}

void Ledger::give_claim_back(LedgerEntry& entry, const RunRequest& request) {
  if (entry.claimed && request.idempotency_key) {
    (void)store_->release_claim(entry.caller.tenant, *request.idempotency_key, entry.run_id);
    entry.claimed = false;
  }
}

Result<std::optional<records::Approval>> Ledger::use_approval(const LedgerEntry& entry, const std::string& policy) {
  const std::string_view asked_by = settings_.policy.self_approval ? "" : std::string_view(entry.caller.key_id);
  return store_->use_approval({entry.caller.tenant, entry.request_sha256, policy, asked_by}, entry.run_id, unix_ms());
}

Result<records::Approval> Ledger::ask_approval(const LedgerEntry& entry, const RunRequest& request,
                                               const policy::Decision& decision) {
  records::Approval question;
  question.id = new_approval_id();
  question.tenant = entry.caller.tenant;
  question.run_id = entry.run_id;
  question.asked_by = entry.caller.key_id;
  question.request_sha256 = entry.request_sha256;
  question.policy = decision.policy;
  question.created_ms = unix_ms();
  question.expires_ms = question.created_ms + static_cast<std::int64_t>(settings_.policy.wait_s) * kSecondMs;
  question.detail_json = approval_detail(request, decision, redactor_);
  return store_->ask_approval(question, entry.caller.key_id);
}

Result<records::RetentionReport> Ledger::apply_retention() {
  const RecordSettings& keep = settings_.records;
  if (keep.keep_days != 0) {
    TRY_STATUS(store_->forget_approvals(unix_ms() - static_cast<std::int64_t>(keep.keep_days) * kDayMs));
  }
  return store_->apply_retention({static_cast<std::int64_t>(keep.keep_days) * kDayMs, keep.keep_bytes}, unix_ms());
}

}  // namespace glovebox::runner

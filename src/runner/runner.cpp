#include "runner/runner.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <set>
#include <utility>

#include "base/cleanup.h"
#include "base/sha256.h"
#include "base/stopwatch.h"
#include "base/utf8.h"
#include "contract/error_catalogue.h"
#include "engine/languages/language_command.h"
#include "engine/languages/program_error.h"
#include "os/files.h"
#include "runner/admission.h"
#include "runner/answer.h"
#include "runner/repair_brief.h"
#include "runner/request_hash.h"
#include "runner/verify_step.h"

namespace glovebox::runner {
namespace {

using base::Error;
using base::Result;
using contract::RunRequest;
using contract::RunResult;

struct OpenedBlobs {
  std::vector<records::StoredBlob> blobs;  // keeps the descriptors alive
  std::vector<int> fds;
};

Result<OpenedBlobs> open_blobs(const RunRequest& request, const records::BlobStore& store) {
  OpenedBlobs opened;
  std::set<std::string> counted;  // a blob under many names is read once
  for (std::size_t index = 0; index < request.files.size(); ++index) {
    if (const auto* reference = std::get_if<contract::BlobRef>(&request.files[index].content); reference != nullptr) {
      auto blob = store.open(reference->sha256);
      if (!blob) {
        return base::fail(std::move(blob.error()).with_field("files[" + std::to_string(index) + "].blob"));
      }
      if (is_tabular(request.files[index].path.str()) && counted.insert(reference->sha256).second) {
        TRY_STATUS(admit_blob(request, index, blob->fd.get()));
      }
      opened.fds.push_back(blob->fd.get());
      opened.blobs.push_back(std::move(*blob));
    }
  }
  return opened;
}

// For those who operate the service.
std::string remedy_of(const base::Error& error) {
  if (!error.hint.empty()) {
    return error.hint;
  }
  if (error.sys_errno == ENOSPC || error.sys_errno == EDQUOT) {
    return "make room on the disk of the data directory";
  }
  return std::string(contract::catalogue_entry(base::ErrorCode::internal_error).hint_person);
}

// A tenant's name is no file name.
std::string tenant_blobs(const std::string& directory, const std::string& tenant) {
  return directory + "/tenants/" + base::sha256_hex(tenant).substr(0, 32);
}

std::string home_based(const char* variable, const char* below_home, const char* for_root) {
  if (const char* value = std::getenv(variable); value != nullptr && *value == '/') {
    return std::string(value) + "/glovebox";
  }
  if (::geteuid() == 0) {
    return for_root;
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    return std::string(home) + below_home + "/glovebox";
  }
  return "";
}

}  // namespace

std::string default_data_directory() { return home_based("XDG_DATA_HOME", "/.local/share", "/var/lib/glovebox"); }

RunnerOptions default_runner_options() {
  RunnerOptions options;
  options.engine.cache_directory = home_based("XDG_CACHE_HOME", "/.cache", "/var/cache/glovebox");
  const std::string data = default_data_directory();
  options.blob_directory = data.empty() ? "" : data + "/blobs";
  options.language_directories = engine::default_language_directories();
  options.policies.directory = default_policy_directory();
  return options;
}

Runner::Runner(RunnerOptions options, std::unique_ptr<engine::Engine> engine, std::unique_ptr<Ledger> ledger)
    : engine_(std::move(engine)),
      languages_(std::move(options.language_directories)),
      blob_directory_(std::move(options.blob_directory)),
      policies_(std::move(options.policies)),
      ledger_(std::move(ledger)) {}

Result<std::unique_ptr<Runner>> Runner::create(RunnerOptions options) {
  std::unique_ptr<Ledger> ledger;
  if (options.ledger) {
    ledger = TRY(Ledger::open(*options.ledger));
  }
  auto engine = TRY(engine::Engine::create(options.engine));
  return std::unique_ptr<Runner>(new Runner(std::move(options), std::move(engine), std::move(ledger)));
}

Result<engine::SandboxPlan> Runner::explain(const RunRequest& request) const {
  TRY_STATUS(admit(request, ledger_ != nullptr ? Records::kept : Records::none));
  const auto language = TRY(languages_.find(request.language));
  const auto policy = TRY(policies_.effective(request.policy, ""));
  TRY(VerifyStep::prepare(request, language, languages_));
  RunRequest granted = request;
  granted.limits = policy::decide(*policy, policy::question_of(request, language.id)).limits;
  return engine_->plan(granted, language);
}

Result<std::shared_ptr<const engine::LanguageProfile>> Runner::language(const std::string& name) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = profiles_.find(name); known != profiles_.end()) {
      return known->second;
    }
  }
  auto profile = std::make_shared<const engine::LanguageProfile>(TRY(languages_.find(name)));
  const std::lock_guard lock(mutex_);
  return profiles_.emplace(name, std::move(profile)).first->second;
}

base::Status Runner::prepare(const RunRequest& like, std::uint32_t cells, std::chrono::milliseconds patience) {
  const auto profile = TRY(language(like.language));
  if (engine_->pool() == nullptr) {
    return base::fail(base::make_error(base::ErrorCode::unsupported, "this Runner keeps no warm cells")
                          .with_hint("turn the pool on, on a host that can enforce all limits"));
  }
  return engine_->pool()->prepare(like, *profile, std::string(kDefaultTenant), cells, patience);
}

engine::PoolMetrics Runner::pool_metrics() {
  return engine_->pool() == nullptr ? engine::PoolMetrics() : engine_->pool()->metrics();
}

records::BlobStore Runner::blobs(const std::string& tenant) const {
  return records::BlobStore(tenant.empty() || tenant == kDefaultTenant ? blob_directory_
                                                                       : tenant_blobs(blob_directory_, tenant));
}

Result<std::uint64_t> Runner::remove_blobs_older_than(std::chrono::system_clock::time_point then) const {
  std::uint64_t removed = TRY(records::BlobStore(blob_directory_).remove_older_than(then));
  for (const std::string& directory : os::list_directories(blob_directory_ + "/tenants")) {
    removed += TRY(records::BlobStore(directory).remove_older_than(then));
  }
  return removed;
}

base::Status Runner::check(const RunRequest& request) const {
  TRY_STATUS(admit(request, ledger_ != nullptr ? Records::kept : Records::none));
  const auto language = TRY(languages_.find(request.language));
  TRY(VerifyStep::prepare(request, language, languages_));
  TRY(policies_.effective(request.policy, ""));
  return {};
}

base::Status Runner::try_cell() {
  base::Error missing = base::make_error(base::ErrorCode::image_unavailable, "there is no language here");
  for (const std::string& id : languages_.ids()) {
    const auto profile = language(id);
    if (!profile) {
      missing = profile.error();
      continue;
    }
    RunRequest request;
    request.language = id;
    engine::RunInputs inputs;
    inputs.request = &request;
    inputs.language = profile->get();
    inputs.cold = true;
    const auto report = engine_->execute(inputs);
    if (!report && report.error().code == base::ErrorCode::image_unavailable) {
      missing = report.error();  // another language may be installed
      continue;
    }
    if (!report) {
      return base::fail(report.error());
    }
    const engine::SupervisionReport& seen = report->supervision;
    if (seen.failure) {
      return base::fail(*seen.failure);
    }
    if (seen.exit_code != 0) {
      return base::fail(base::ErrorCode::setup_failed, "a cell was made, but an empty program did not end well in it");
    }
    return {};
  }
  return base::fail(std::move(missing));
}

std::string Runner::flight_of(const RunRequest& request, const Caller& caller) const {
  if (ledger_ == nullptr) {
    return "";
  }
  if (request.idempotency_key) {
    return "key " + caller.tenant + " " + *request.idempotency_key;
  }
  const bool shares = request.cache == contract::CacheMode::use && ledger_->settings().cache.ttl_s != 0;
  return shares ? "request " + caller.tenant + " " + hash_of_request(request) : "";
}

RunResult Runner::run(const RunRequest& request, const RunOptions& given) {
  RunOptions options = given;
  if (options.run_id.empty()) {
    options.run_id = new_run_id();
  }
  Answer answer(request, options.run_id);
  answer.provenance(hash_of_inputs(request), engine_->image().digest);

  // admit: what the contract allows and this installation can honour
  const auto refuse = [&](const base::Error& error) {
    if (options.parked != nullptr && *options.parked) {
      return end_parked(request, options, *std::exchange(*options.parked, std::nullopt), error);
    }
    RunResult result = answer.refused(error);
    if (ledger_ != nullptr) {
      ledger_->record_refusal(request, options, result);
    }
    return result;
  };
  if (auto admitted = admit(request, ledger_ != nullptr ? Records::kept : Records::none); !admitted) {
    return refuse(admitted.error());
  }
  if (ledger_ != nullptr && ledger_->serves()) {
    if (auto admitted = admit_to_service(request.limits, ledger_->settings().serve); !admitted) {
      return refuse(admitted.error());
    }
  }
  auto found = language(request.language);
  if (!found) {
    return refuse(std::move(found.error()).with_field("language"));
  }
  const auto verify = VerifyStep::prepare(request, **found, languages_);
  if (!verify) {
    return refuse(verify.error());
  }
  auto blobs = open_blobs(request, this->blobs(options.caller.tenant));
  if (!blobs) {
    return refuse(blobs.error());
  }
  const Step step{request, options, **found, blobs->fds, *verify};
  return ledger_ != nullptr ? run_recorded(step, std::move(answer)) : run_plain(step, std::move(answer));
}

RunResult Runner::run_plain(const Step& step, Answer answer) {
  // decide: what the policy says about the program's text and the request
  auto decision = decide(step, answer);
  if (!decision) {
    return answer.refused(decision.error());
  }
  answer.policy(decision->policy);
  if (decision->verdict == policy::Verdict::deny) {
    return answer.rejected(*decision, base::make_error(base::ErrorCode::rejected, ""));
  }

  // approve: a person says yes to what the policy asks about
  if (auto refused = approve(step, *decision, nullptr, answer); refused) {
    return std::move(*refused);
  }
  return execute(step, decision->limits, std::move(answer));
}

RunResult Runner::run_recorded(const Step& step, Answer answer) {
  const RunRequest& request = step.request;
  const RunOptions& options = step.options;
  // A run that was parked comes back with the record that it began.
  std::optional<Parked> parked;
  if (options.parked != nullptr) {
    parked = std::exchange(*options.parked, std::nullopt);
  }
  LedgerEntry entry = parked ? std::move(parked->entry) : ledger_->open_entry(request, options);
  RunResult result;
  const auto refuse = [&](const base::Error& error) {
    result = answer.refused(error);
    if (!entry.begun) {
      return result;
    }
    ledger_->give_claim_back(entry, request);  // it did not run, and may yet
    return result = recorded(entry, request, std::move(result));
  };

  // permit: the stop switch, the tenant's quota, the task's budget, the breakers. Not recorded: a flood must not fill
  // the disk.
  auto permit = ledger_->governor().permit(options.caller, request, unix_ms());
  if (!permit) {
    return refuse(permit.error());
  }
  const base::Cleanup settle([&] {
    ledger_->governor().settle(options.caller, *permit, result, error_signature(request, result), unix_ms());
  });

  // decide: what the policy says about the program's text and the request
  auto decision = decide(step, answer);
  if (!decision) {
    if (!entry.begun) {
      result = answer.refused(decision.error());
      ledger_->record_refusal(request, options, result);
      return result;
    }
    return refuse(decision.error());
  }
  answer.policy(decision->policy);
  entry.decision_json = policy::to_json(*decision);
  if (decision->verdict == policy::Verdict::deny) {
    result = answer.rejected(*decision, base::make_error(base::ErrorCode::rejected, ""));
    if (entry.begun) {
      return result = recorded(entry, request, std::move(result));
    }
    ledger_->record_refusal(request, options, result, std::move(entry.decision_json));
    return result;
  }
  if (!parked) {
    ledger_->choose_cache_key(entry, request, answer.provenance());
  } else if (parked->decision.policy != decision->policy) {
    entry.cache_key.clear();  // begun under another policy
  }

  // claim: the same idempotency key never runs twice
  Flights::Seat key_seat;
  if (request.idempotency_key && !entry.claimed) {
    auto earlier = ledger_->claim(entry, *request.idempotency_key, key_seat);
    if (!earlier) {
      return result = answer.refused(earlier.error());
    }
    if (*earlier) {
      return result = std::move(**earlier);
    }
  }

  // cache: the same request gets the same answer for a while, and runs once if many ask at once
  Flights::Seat cache_seat;
  if (request.cache == contract::CacheMode::use) {
    if (auto cached = ledger_->find_cached(entry, cache_seat); cached) {
      result = std::move(*cached);
      result.run_id = options.run_id;
      result.cached = true;
      result.metrics.queue_ms = options.queue_ms;
      return result = recorded(entry, request, std::move(result));
    }
  }

  // approve: a person says yes to what the policy asks about
  if (auto refused = approve(step, *decision, &entry, answer); refused) {
    return result = std::move(*refused);
  }

  // execute, and verify what came of it
  if (!entry.begun) {
    if (auto begun = ledger_->begin(entry, request); !begun) {
      ledger_->give_back(entry, request);
      return result = answer.refused(begun.error());
    }
  }
  contract::Limits limits = decision->limits;
  const bool cut = permit->cut && permit->wall_ms < limits.wall_ms;
  if (cut) {
    limits.wall_ms = permit->wall_ms;
  }
  result = execute(step, limits, std::move(answer));
  if (cut && result.outcome == contract::Outcome::timeout && result.error) {
    result.error->code = base::ErrorCode::budget_exceeded;
    result.error->type = "budget_exceeded";
    result.error->message = "the task " + options.caller.task_id + " has used up its time: " + result.error->message;
    result.error->hint = contract::catalogue_entry(base::ErrorCode::budget_exceeded).hint_model;
  }

  // record: before the answer is given
  return result = recorded(entry, request, std::move(result));
}

RunResult Runner::recorded(LedgerEntry& entry, const RunRequest& request, RunResult result) {
  const auto at = std::chrono::steady_clock::now();
  if (auto written = ledger_->finish(entry, request, result); !written) {
    // An answer without a record is none: the caller could not prove it, and we could not count it.
    RunResult lost;
    lost.run_id = result.run_id;
    lost.provenance = std::move(result.provenance);
    lost.outcome = contract::Outcome::internal_error;
    lost.error = contract::RunError{};
    lost.error->type = "internal_error";
    lost.error->message = "the run could not be recorded: " + written.error().message;
    lost.error->hint = remedy_of(written.error());
    return lost;
  }
  result.metrics.stages["record"] = base::ms_since(at);
  return result;
}

RunResult Runner::execute(const Step& step, const contract::Limits& limits, Answer answer) {
  const RunOptions& options = step.options;
  RunRequest granted;
  if (limits != step.request.limits) {
    granted = step.request;
    granted.limits = limits;
  }
  const RunRequest& request = limits != step.request.limits ? granted : step.request;
  const engine::CancelToken own_token;
  const engine::CancelToken& token = options.cancel != nullptr ? *options.cancel : own_token;
  {
    const std::lock_guard lock(mutex_);
    running_[options.run_id] = &token;
  }
  const base::Cleanup forget([&] {
    const std::lock_guard lock(mutex_);
    running_.erase(options.run_id);
  });
  engine::RunInputs inputs;
  inputs.request = &request;
  inputs.language = &step.profile;
  inputs.blobs = step.blobs;
  inputs.also_collect = step.verify.also_collect();
  inputs.keep_work = options.work != nullptr ? &options.work->bounds : step.verify.needs_work();
  inputs.events = options.events ? &options.events : nullptr;
  inputs.cancel = &token;
  inputs.tenant = options.caller.tenant;
  if (options.events) {
    options.events({contract::EventKind::state, "preparing"});
  }
  answer.waited(options.queue_ms);
  // In a warm cell if one waits, else in a cold one.
  auto report = engine_->execute(inputs);
  if (!report) {
    return answer.not_executed(report.error());
  }
  std::optional<engine::WorkTree> work = std::move(report->work);
  // The verdict, what the program left, and why it failed.
  RunResult result = answer.executed(std::move(*report), step.profile);
  // verify: a program that ended well may still have given the wrong answer
  step.verify.apply({*engine_, limits, step.blobs, token, options.caller.tenant, work ? &*work : nullptr}, result);
  if (options.work != nullptr) {
    options.work->left = std::move(work);
  }
  return result;
}

std::size_t Runner::cancel_all() {
  const std::lock_guard lock(mutex_);
  for (const auto& [run_id, token] : running_) {
    token->cancel();
  }
  return running_.size();
}

bool Runner::cancel(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(run_id);
  if (found == running_.end()) {
    return false;
  }
  found->second->cancel();
  return true;
}

}  // namespace glovebox::runner

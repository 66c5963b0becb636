// The spine of every run. The CLI, and everything else that runs code, calls Runner::run and nothing below it.
//
//   Runner runner = *Runner::create({});
//   RunResult result = runner.run(request);
//
// A Runner owns one Engine (and with it one launcher process), and in a service a Ledger. run() may be called from any
// number of threads; each call executes on its caller's thread and always comes back with a result: a request that
// cannot be honoured is a result with outcome "rejected", a host that cannot do it is "setup_failed", never an
// exception.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "contract/event.h"
#include "contract/run_request.h"
#include "contract/run_result.h"
#include "engine/engine.h"
#include "engine/languages/catalogue.h"
#include "policy/decision.h"
#include "records/blob_store.h"
#include "runner/caller.h"
#include "runner/ledger.h"
#include "runner/policies.h"

namespace glovebox::runner {

class Answer;
class VerifyStep;

struct RunnerOptions {
  engine::EngineOptions engine;
  std::string blob_directory;                     // where stored inputs lie
  std::vector<std::string> language_directories;  // beside the built-in languages
  PolicyPlaces policies;                          // beside the built-in profiles
  std::optional<LedgerOptions> ledger;            // none: nothing is kept, nobody is counted
};

// Where records and blobs lie unless somebody says otherwise: $XDG_DATA_HOME/glovebox, /var/lib/glovebox for root, or
// below the user's home. Empty without a home.
[[nodiscard]] std::string default_data_directory();

// Directories below the user's or the system's data and cache places; engine.degraded stays `refuse`.
[[nodiscard]] RunnerOptions default_runner_options();

// A run that has begun and waits for a person: all that it takes to go on with it, or to end it.
struct Parked {
  records::Approval approval;
  LedgerEntry entry;
  policy::Decision decision;
};

// For a caller who goes on with what a program left (workspaces). A run that did not happen leaves nothing there.
struct WorkKeeping {
  engine::WorkBounds bounds;
  std::optional<engine::WorkTree> left;
};

struct RunOptions {
  contract::EventSink events;  // may be empty
  std::string run_id;          // empty: a new one
  // Stops the run as Runner::cancel does, for callers that must not look up an id, such as a signal handler.
  const engine::CancelToken* cancel = nullptr;
  Caller caller;
  WorkKeeping* work = nullptr;  // not null: gets what the program leaves in its work directory
  double queue_ms = 0;          // that the request waited before it got here
  std::string replay_of;        // the run that this one repeats

  // What the policy asks about (P4). Rules that whoever runs this has approved beforehand; somebody who can be asked on
  // the spot (empty: nobody is there); who that is, for the record.
  std::vector<std::string> approved_rules;
  std::function<bool(const policy::Decision&)> ask;
  std::string approver;
  // Not null: this caller can wait. If run() leaves something there, its result does not count: the run is begun, holds
  // nothing but its record, and the caller must come back with the same request and options once the approval is
  // answered, or call end_parked(). Only a service's ledger parks.
  std::optional<Parked>* parked = nullptr;
};

class Runner {
 public:
  [[nodiscard]] static base::Result<std::unique_ptr<Runner>> create(RunnerOptions options);

  [[nodiscard]] contract::RunResult run(const contract::RunRequest& request, const RunOptions& options = {});
  // Ends a run that was parked and does not go on.
  [[nodiscard]] contract::RunResult end_parked(const contract::RunRequest& request, const RunOptions& options,
                                               Parked parked, const base::Error& error);
  // What the policy says, by itself (P1): the second step of run().
  [[nodiscard]] base::Result<policy::Decision> check_policy(const contract::RunRequest& request, const Caller& caller,
                                                            policy::Detail detail);
  // Stops a run from any thread (C6). False: no such run is going on.
  bool cancel(const std::string& run_id);
  // Stops everything that runs, as the stop switch does; how many.
  std::size_t cancel_all();
  // The first step of run(), by itself: whether such a request could be honoured here.
  [[nodiscard]] base::Status check(const contract::RunRequest& request) const;
  // Runs an empty program in a cell of its own, without a record: whether this host can do our job at all, now.
  [[nodiscard]] base::Status try_cell();
  // What makes equal requests wait for one answer; empty if they do not.
  [[nodiscard]] std::string flight_of(const contract::RunRequest& request, const Caller& caller) const;
  // Waits until so many warm cells that would serve such a request are ready. Fails without a pool.
  [[nodiscard]] base::Status prepare(const contract::RunRequest& like, std::uint32_t cells,
                                     std::chrono::milliseconds patience);
  [[nodiscard]] engine::PoolMetrics pool_metrics();
  // What run() would build, without building it.
  [[nodiscard]] base::Result<engine::SandboxPlan> explain(const contract::RunRequest& request) const;

  [[nodiscard]] const engine::Engine& engine() const { return *engine_; }
  [[nodiscard]] const engine::LanguageCatalogue& languages() const { return languages_; }
  // Each tenant has blobs of its own: their names must not tell one what another has.
  [[nodiscard]] records::BlobStore blobs(const std::string& tenant) const;
  [[nodiscard]] base::Result<std::uint64_t> remove_blobs_older_than(std::chrono::system_clock::time_point then) const;
  [[nodiscard]] Policies& policies() { return policies_; }
  // Null without records.
  [[nodiscard]] Ledger* ledger() { return ledger_.get(); }

 private:
  Runner(RunnerOptions options, std::unique_ptr<engine::Engine> engine, std::unique_ptr<Ledger> ledger);
  // One admitted run on its way through the steps.
  struct Step {
    const contract::RunRequest& request;
    const RunOptions& options;
    const engine::LanguageProfile& profile;
    const std::vector<int>& blobs;
    const VerifyStep& verify;
  };
  [[nodiscard]] contract::RunResult run_plain(const Step& step, Answer answer);
  [[nodiscard]] contract::RunResult run_recorded(const Step& step, Answer answer);
  [[nodiscard]] base::Result<policy::Decision> decide(const Step& step, Answer& answer);
  // Nothing: it may go on. Else why not; `entry` is null without a ledger.
  [[nodiscard]] std::optional<contract::RunResult> approve(const Step& step, policy::Decision& decision,
                                                           LedgerEntry* entry, Answer& answer);
  [[nodiscard]] contract::RunResult recorded(LedgerEntry& entry, const contract::RunRequest& request,
                                             contract::RunResult result);
  [[nodiscard]] contract::RunResult execute(const Step& step, const contract::Limits& limits, Answer answer);
  // Profiles are read once in the life of a Runner.
  [[nodiscard]] base::Result<std::shared_ptr<const engine::LanguageProfile>> language(const std::string& name);

  std::unique_ptr<engine::Engine> engine_;
  engine::LanguageCatalogue languages_;
  std::string blob_directory_;
  mutable Policies policies_;
  std::mutex mutex_;
  std::unordered_map<std::string, const engine::CancelToken*> running_;
  std::unique_ptr<Ledger> ledger_;
  std::unordered_map<std::string, std::shared_ptr<const engine::LanguageProfile>> profiles_;
};

// "run_" and 26 characters that sort by time.
[[nodiscard]] std::string new_run_id();

}  // namespace glovebox::runner

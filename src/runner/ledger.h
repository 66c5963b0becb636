// What a service keeps beside its engine: the store, the redactor, the governor, the answers of the last minutes.
//
// A Runner without a ledger just runs programs. With one, a run is permitted, claimed, looked up, and written down:
// Runner::run() calls these in that order. Everything that reaches the store has gone through the redactor first (O2).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "contract/run_request.h"
#include "contract/run_result.h"
#include "policy/decision.h"
#include "records/store.h"
#include "redaction/redactor.h"
#include "runner/caller.h"
#include "runner/flights.h"
#include "runner/governor.h"
#include "runner/result_cache.h"
#include "runner/service_settings.h"

namespace glovebox::runner {

struct RunOptions;

enum class LedgerUse { serve, visit };  // the one service on the directory, or a command beside it

struct LedgerOptions {
  std::string directory;
  LedgerUse use = LedgerUse::serve;
  ServiceSettings settings;
};

// One run, as the ledger sees it.
struct LedgerEntry {
  std::string run_id;
  Caller caller;
  std::string replay_of;
  std::string request_sha256;
  std::string cache_key;  // empty: this run has nothing to do with the cache
  std::int64_t created_ms = 0;
  bool begun = false;
  bool claimed = false;
  std::map<std::string, std::uint32_t> redactions;
  std::optional<std::string> decision_json;  // redacted when it is written
};

class Ledger {
 public:
  [[nodiscard]] static base::Result<std::unique_ptr<Ledger>> open(LedgerOptions options);

  [[nodiscard]] LedgerEntry open_entry(const contract::RunRequest& request, const RunOptions& options) const;
  // What the entry is found under later, once the policy is known.
  void choose_cache_key(LedgerEntry& entry, const contract::RunRequest& request,
                        const contract::Provenance& provenance) const;
  // A request that was not admitted has a record too; one that cannot even be written is just refused.
  void record_refusal(const contract::RunRequest& request, const RunOptions& options, const contract::RunResult& result,
                      std::optional<std::string> decision_json = std::nullopt);

  // K3: nothing when this run may go on; the earlier answer, or why there is none. Waits while the same key runs here.
  [[nodiscard]] base::Result<std::optional<contract::RunResult>> claim(LedgerEntry& entry, const std::string& key,
                                                                       Flights::Seat& seat);
  // K1: an answer that is young enough. Waits while the same request runs here; `seat` then leads for the others.
  [[nodiscard]] std::optional<contract::RunResult> find_cached(const LedgerEntry& entry, Flights::Seat& seat);

  // The one service on the directory, and not a command beside it.
  [[nodiscard]] bool serves() const { return serves_; }
  // P4: whether this process asks people through the store.
  [[nodiscard]] bool asks() const { return serves_ && settings_.policy.ask != WhenAsked::deny; }
  // An approval of this very request, used up by this run; nothing if there is none.
  [[nodiscard]] base::Result<std::optional<records::Approval>> use_approval(const LedgerEntry& entry,
                                                                            const std::string& policy);
  // The question that this run waits for an answer to.
  [[nodiscard]] base::Result<records::Approval> ask_approval(const LedgerEntry& entry,
                                                             const contract::RunRequest& request,
                                                             const policy::Decision& decision);

  // From here on a crash leaves a record that says `interrupted`.
  [[nodiscard]] base::Status begin(LedgerEntry& entry, const contract::RunRequest& request);
  // Written when it returns.
  [[nodiscard]] base::Status finish(LedgerEntry& entry, const contract::RunRequest& request,
                                    const contract::RunResult& result);
  // The run was refused: the key may be used again.
  void give_back(const LedgerEntry& entry, const contract::RunRequest& request);

  // The run has begun and ends without having happened: the key may be used again all the same.
  void give_claim_back(LedgerEntry& entry, const contract::RunRequest& request);

  // As it would be stored.
  void redact(contract::RunRequest& request) const { redactor_.redact(request); }
  [[nodiscard]] contract::RunResult redacted(contract::RunResult result) const;

  [[nodiscard]] const std::string& directory() const { return directory_; }
  [[nodiscard]] records::Store& store() { return *store_; }
  [[nodiscard]] Governor& governor() { return governor_; }
  [[nodiscard]] const ServiceSettings& settings() const { return settings_; }
  [[nodiscard]] ResultCache& cache() { return cache_; }
  // Age and size of records and blobs, as the settings say (O6).
  [[nodiscard]] base::Result<records::RetentionReport> apply_retention();

 private:
  Ledger(LedgerOptions options, std::unique_ptr<records::Store> store, redaction::Redactor redactor);

  const std::string directory_;
  const ServiceSettings settings_;
  const bool serves_;
  std::unique_ptr<records::Store> store_;
  redaction::Redactor redactor_;
  Governor governor_;
  ResultCache cache_;
  Flights flights_;
};

// Whether the answer is the program's own and would be the same again (K2).
[[nodiscard]] bool is_cacheable(const contract::RunRequest& request, const contract::RunResult& result);

[[nodiscard]] std::int64_t unix_ms();

}  // namespace glovebox::runner

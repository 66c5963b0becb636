// The audit log: who did what, in an order that cannot be changed unnoticed (O3).
//
// Every entry's hash is the SHA-256 over the hash before it and all of its own fields, so that the last hash (the head)
// vouches for everything. An entry is written in the same transaction as what it reports. The entry of a run holds a
// hash of the run's record, so that the chain vouches for the records too.
//
// A chain alone cannot show that its end was cut off, or that somebody wrote the whole of it anew. The head is
// therefore also kept in a second place, the file audit.head beside the database, which is never moved to a chain that
// it is not on; and anchors can be carried elsewhere and held against the log later.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glovebox::records {

namespace audit_kind {
inline constexpr std::string_view kRunFinished = "run_finished";
inline constexpr std::string_view kRunRefused = "run_refused";
inline constexpr std::string_view kRunInterrupted = "run_interrupted";
inline constexpr std::string_view kRunDeleted = "run_deleted";
inline constexpr std::string_view kKeyCreated = "key_created";
inline constexpr std::string_view kKeyRevoked = "key_revoked";
inline constexpr std::string_view kQuotaChanged = "quota_changed";
inline constexpr std::string_view kServiceStarted = "service_started";
inline constexpr std::string_view kServiceStopped = "service_stopped";
inline constexpr std::string_view kServiceResumed = "service_resumed";
inline constexpr std::string_view kConfigLoaded = "config_loaded";
inline constexpr std::string_view kRetention = "retention";
inline constexpr std::string_view kTenantPolicyChanged = "tenant_policy_changed";
inline constexpr std::string_view kApprovalAsked = "approval_asked";
inline constexpr std::string_view kApprovalApproved = "approval_approved";
inline constexpr std::string_view kApprovalRejected = "approval_rejected";
inline constexpr std::string_view kApprovalUsed = "approval_used";
inline constexpr std::string_view kApprovalExpired = "approval_expired";
}  // namespace audit_kind

// What somebody wants written down.
struct AuditEvent {
  std::int64_t time_ms = 0;
  std::string kind;  // one of the above, or another name of small letters and underscores
  std::string actor;
  std::string subject;
  std::string detail_json = "{}";
  bool operator==(const AuditEvent&) const = default;
};

struct AuditEntry {
  std::uint64_t seq = 0;  // 1, 2, 3 …
  AuditEvent event;
  std::string hash;
  bool operator==(const AuditEntry&) const = default;
};

// A point of the chain that was carried elsewhere. seq 0 is the empty log.
struct Anchor {
  std::uint64_t seq = 0;
  std::string hash;
  std::int64_t time_ms = 0;
  bool operator==(const Anchor&) const = default;
};

// One line: {"seq":7,"hash":"…","time_ms":…}
[[nodiscard]] std::string to_json(const Anchor& anchor);
[[nodiscard]] base::Result<Anchor> parse_anchor(std::string_view json_line);

struct AuditProblem {
  enum class What {
    changed,            // the entry does not have the hash that the chain gives it
    missing,            // a number is left out
    out_of_order,       // the entry stands where another belongs
    cut,                // the log ends before a known point of it
    rewritten,          // the chain has another hash at a known point
    head_missing,       // audit.head is gone or unreadable
    run_changed,        // a run's record is not the one that its entry vouches for
    run_missing,        // a run's record is gone, and no entry says that it was deleted
    run_without_entry,  // a run's record that no entry vouches for
    content_damaged,    // stored bytes of a run are not those that its record names
    content_missing,    // stored bytes of a run are gone
  };
  What what = What::changed;
  std::uint64_t seq = 0;  // where; 0: nowhere in particular
  std::string message;    // a sentence for people
  bool operator==(const AuditProblem&) const = default;
};
[[nodiscard]] std::string_view to_string(AuditProblem::What what);

struct AuditReport {
  std::uint64_t entries = 0;
  std::uint64_t runs = 0;             // records that were held against their entries
  std::uint64_t contents_read = 0;    // stored bytes that were held against their hashes
  std::uint64_t contents_unread = 0;  // because nobody asked for it
  std::uint64_t contents_damaged = 0;
  Anchor head;
  std::optional<AuditProblem> problem;  // the first one
  std::vector<std::string> damaged;     // a sentence for each content that is damaged or missing; a thousand at most
};

// Stored bytes may be gigabytes: whoever verifies often can leave them out.
enum class ReadContents { yes, no };

inline constexpr std::string_view kNoHash = "0000000000000000000000000000000000000000000000000000000000000000";

// The hash of an entry that follows one with the hash `previous` (kNoHash before the first).
[[nodiscard]] std::string audit_hash(std::string_view previous, std::uint64_t seq, const AuditEvent& event);

}  // namespace glovebox::records

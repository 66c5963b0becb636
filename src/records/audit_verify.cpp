#include "records/audit_verify.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/cleanup.h"
#include "base/sha256.h"
#include "contract/json_reader.h"
#include "records/audit_chain.h"
#include "records/run_rows.h"

namespace glovebox::records {
namespace {

using base::Result;
using base::Status;
using What = AuditProblem::What;

constexpr const char* kAllEntries =
    "SELECT seq, time_ms, kind, actor, subject, detail_json, hash FROM audit ORDER BY seq";

class Verifier {
 public:
  Verifier(Database& reader, const std::vector<Anchor>& anchors) : reader_(reader) {
    for (const Anchor& anchor : anchors) {
      anchors_.emplace(anchor.seq, anchor.hash);
    }
    report_.head.hash = kNoHash;
  }

  Result<AuditReport> run(bool has_head_file) {
    if (!has_head_file) {
      found(What::head_missing, 0, "the file audit.head is missing or damaged");
    }
    check_anchors(0, kNoHash);
    TRY_STATUS(walk());
    if (!report_.problem && !anchors_.empty() && anchors_.rbegin()->first > report_.head.seq) {
      found(What::cut, report_.head.seq + 1,
            "the log ends at " + std::to_string(report_.head.seq) + ", but it once had an entry " +
                std::to_string(anchors_.rbegin()->first));
    }
    if (!report_.problem && !missing_runs_.empty()) {
      const auto& [run_id, seq] = *missing_runs_.begin();
      found(What::run_missing, seq,
            "the record of the run " + run_id + " is gone, and no entry says that it was deleted");
    }
    if (!report_.problem) {
      TRY_STATUS(find_run_without_entry());
    }
    return std::move(report_);
  }

 private:
  void found(What what, std::uint64_t seq, std::string message) {
    if (!report_.problem) {
      report_.problem = AuditProblem{what, seq, std::move(message)};
    }
  }

  Status walk() {
    Statement rows = TRY(reader_.prepare(kAllEntries));
    while (!report_.problem && TRY(rows.step())) {
      const AuditEntry entry = read_entry(rows);
      TRY_STATUS(check_link(entry));
      check_anchors(entry.seq, entry.hash);
      if (report_.problem) {
        break;  // what such an entry says about runs is worth nothing
      }
      TRY_STATUS(check_runs(entry));
      ++report_.entries;
      report_.head.seq = entry.seq;
      report_.head.hash = entry.hash;
      report_.head.time_ms = entry.event.time_ms;
    }
    return {};
  }

  Status check_link(const AuditEntry& entry) {
    const std::uint64_t expected = report_.head.seq + 1;
    if (entry.seq != expected) {
      found(What::missing, expected, "entry " + std::to_string(expected) + " is missing");
      return {};
    }
    if (audit_hash(report_.head.hash, expected, entry.event) == entry.hash) {
      return {};
    }
    if (TRY(stands_elsewhere(expected))) {
      found(What::out_of_order, expected, "another entry stands in the place of entry " + std::to_string(expected));
    } else {
      found(What::changed, expected, "entry " + std::to_string(expected) + " was changed");
    }
    return {};
  }

  // Whether an entry further on is the one that belongs here.
  Result<bool> stands_elsewhere(std::uint64_t seq) {
    Statement rows = TRY(reader_.prepare_once(kAllEntries));
    while (TRY(rows.step())) {
      const AuditEntry entry = read_entry(rows);
      if (entry.seq > seq && audit_hash(report_.head.hash, seq, entry.event) == entry.hash) {
        return true;
      }
    }
    return false;
  }

  void check_anchors(std::uint64_t seq, std::string_view hash) {
    const auto [first, last] = anchors_.equal_range(seq);
    for (auto anchor = first; anchor != last; ++anchor) {
      if (anchor->second != hash) {
        found(What::rewritten, seq, "entry " + std::to_string(seq) + " is not the one that was anchored");
      }
    }
  }

  Status check_runs(const AuditEntry& entry) {
    const std::string& kind = entry.event.kind;
    if (kind == audit_kind::kRunFinished || kind == audit_kind::kRunRefused || kind == audit_kind::kRunInterrupted) {
      return check_run(entry);
    }
    if (kind == audit_kind::kRunDeleted) {
      missing_runs_.erase(entry.event.subject);
    } else if (kind == audit_kind::kRetention) {
      TRY_STATUS(forget_retained(entry));
    }
    return {};
  }

  Status check_run(const AuditEntry& entry) {
    const std::string& run_id = entry.event.subject;
    const auto row = TRY(find_row(reader_, run_id));
    // An id may be used again once its run was deleted: the row then belongs to a later entry.
    if (!row || row->audit_seq != entry.seq) {
      missing_runs_.emplace(run_id, entry.seq);
      return {};
    }
    ++report_.runs;
    const std::vector<ContentRow> contents = TRY(contents_of(reader_, row->number));
    const bool is_whole = std::all_of(contents.begin(), contents.end(), [](const ContentRow& content) {
      // The others may be gigabytes: content_check.h reads them.
      return content.content_id || base::sha256_hex(content.data) == content.ref.sha256;
    });
    if (!is_whole || record_sha256(*row, contents) != TRY(recorded_sha256(entry))) {
      found(What::run_changed, entry.seq, "the record of the run " + run_id + " was changed");
    }
    return {};
  }

  static Result<std::string> recorded_sha256(const AuditEntry& entry) {
    static constexpr std::string_view kFields[] = {"tenant", "outcome", "record_sha256"};
    contract::JsonValue root = TRY(contract::parse_json(entry.event.detail_json, {}));
    const contract::JsonObject detail = TRY(contract::JsonNode(root, "").object(kFields));
    const contract::JsonNode sha256 = TRY(detail.require("record_sha256"));
    return sha256.take_string();
  }

  Status forget_retained(const AuditEntry& entry) {
    static constexpr std::string_view kFields[] = {"runs"};
    static constexpr std::size_t kMaxRuns = 10'000;
    contract::JsonValue root = TRY(contract::parse_json(entry.event.detail_json, {}));
    const contract::JsonObject detail = TRY(contract::JsonNode(root, "").object(kFields));
    const contract::JsonNode runs = TRY(detail.require("runs"));
    for (const std::string& run_id : TRY(runs.take_strings(kMaxRuns))) {
      missing_runs_.erase(run_id);
    }
    return {};
  }

  Status find_run_without_entry() {
    Statement statement =
        TRY(reader_.prepare("SELECT run_id FROM runs LEFT JOIN audit ON seq = audit_seq "
                            "AND kind IN ('run_finished', 'run_refused', 'run_interrupted') "
                            "WHERE state <> 'running' AND subject IS NOT run_id LIMIT 1"));
    if (TRY(statement.step())) {
      found(What::run_without_entry, 0, "no entry vouches for the record of the run " + statement.text(0));
    }
    return {};
  }

  Database& reader_;
  std::multimap<std::uint64_t, std::string> anchors_;
  // Runs without a record, until an entry says why.
  std::unordered_map<std::string, std::uint64_t> missing_runs_;
  AuditReport report_;
};

}  // namespace

AuditEntry read_entry(const Statement& row) {
  AuditEntry entry;
  entry.seq = row.count(0);
  entry.event.time_ms = row.integer(1);
  entry.event.kind = row.text(2);
  entry.event.actor = row.text(3);
  entry.event.subject = row.text(4);
  entry.event.detail_json = row.text(5);
  entry.hash = row.text(6);
  return entry;
}

Result<AuditReport> verify_log(Database& reader, const std::string& directory, const std::vector<Anchor>& anchors) {
  // The file first: what it says was committed, so the log as it is read after that must have it.
  const std::optional<Anchor> head = read_audit_head(directory);
  std::vector<Anchor> known = anchors;
  if (head) {
    known.push_back(*head);
  }
  TRY_STATUS(reader.execute("BEGIN"));
  const base::Cleanup end([&] { (void)reader.execute("ROLLBACK"); });
  return Verifier(reader, known).run(head.has_value());
}

}  // namespace glovebox::records

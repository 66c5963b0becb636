// Writing the audit log: AuditChain appends within one transaction, AuditHead keeps the file audit.head.
#pragma once

#include <optional>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "records/audit.h"
#include "records/sqlite.h"

namespace glovebox::records {

// Reads the head when it first appends: another process may have appended since the last transaction.
class AuditChain {
 public:
  explicit AuditChain(Database& database) : database_(database) {}

  // The number of the new entry.
  [[nodiscard]] base::Result<std::uint64_t> append(const AuditEvent& event);
  // Where the chain ends if this transaction is committed; nothing when it appended nothing.
  [[nodiscard]] const std::optional<Anchor>& head() const { return head_; }

 private:
  Database& database_;
  std::optional<Anchor> head_;
};

// The last entry; seq 0 and kNoHash for an empty log.
[[nodiscard]] base::Result<Anchor> last_entry(Database& database);

// One line of fixed length that is overwritten in place, so that no reader sees half of one.
//
// A crash between a commit and this file leaves it behind the log, which is fine. It is never moved from a place that
// is not on the chain: it then is the proof that somebody cut or rewrote the log, and stays.
class AuditHead {
 public:
  // Writes the file for a log that is empty; a log with entries and no file stays without.
  [[nodiscard]] static base::Result<AuditHead> open(const std::string& directory, Database& database);
  void advance(const Anchor& head);

 private:
  AuditHead(base::Fd file, Anchor last) : file_(std::move(file)), last_(std::move(last)) {}

  base::Fd file_;  // invalid: the file is left as it is
  Anchor last_;
};

// What the file says; nothing when it is missing or damaged.
[[nodiscard]] std::optional<Anchor> read_audit_head(const std::string& directory);

}  // namespace glovebox::records

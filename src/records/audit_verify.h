// Reads the whole audit log and every record that it vouches for, and tells the first thing that is wrong.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "records/audit.h"
#include "records/sqlite.h"

namespace glovebox::records {

// `reader` is used for one long transaction, so that writers may go on meanwhile.
[[nodiscard]] base::Result<AuditReport> verify_log(Database& reader, const std::string& directory,
                                                   const std::vector<Anchor>& anchors);

// Reads one row of: seq, time_ms, kind, actor, subject, detail_json, hash.
[[nodiscard]] AuditEntry read_entry(const Statement& row);

}  // namespace glovebox::records

// Reads what is stored of all runs and holds it against its hashes, piece by piece: contents may be gigabytes.
#pragma once

#include "base/result.h"
#include "records/audit.h"
#include "records/contents.h"
#include "records/sqlite.h"

namespace glovebox::records {

// Adds what it finds to the report. `reader` must be in no transaction: runs may be deleted meanwhile, and their
// contents are not missing then.
[[nodiscard]] base::Status check_contents(Database& reader, const Contents& contents, AuditReport& report);
[[nodiscard]] base::Status count_contents(Database& reader, AuditReport& report);

}  // namespace glovebox::records

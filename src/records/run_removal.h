// Taking runs away: by id, by age, by size (O6). The audit log keeps that they were.
//
// Rows go in one transaction, and the files of contents that nobody refers to any more in the next one: a crash between
// leaves files without rows, which the next service sweeps.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "records/commit_queue.h"
#include "records/contents.h"
#include "records/store.h"

namespace glovebox::records {

[[nodiscard]] base::Result<bool> remove_run(CommitQueue& queue, const Contents& contents, std::string_view run_id,
                                            std::string_view actor, std::int64_t now_ms);
[[nodiscard]] base::Result<RetentionReport> remove_old_runs(CommitQueue& queue, const Contents& contents,
                                                            const Retention& retention, std::int64_t now_ms);
// What crashes have left in the folder of contents.
[[nodiscard]] base::Status sweep_contents(CommitQueue& queue, const Contents& contents);

}  // namespace glovebox::records

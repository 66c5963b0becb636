// A request and a result as they are stored: their JSON of the contract with every long part taken out, which then is a
// content. Files that came with the request stand in its JSON as references to their content; which of the references
// were inline is told by the contents that the run has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "contract/run_request.h"
#include "contract/run_result.h"
#include "records/contents.h"
#include "records/run_rows.h"
#include "records/sqlite.h"

namespace glovebox::records {

// Empties what becomes a content; to_json of what is left is what is stored.
[[nodiscard]] base::Result<std::vector<Content>> take_contents(const Contents& store, Database& reader,
                                                               contract::RunRequest& request);
[[nodiscard]] base::Result<std::vector<Content>> take_contents(const Contents& store, Database& reader,
                                                               contract::RunResult& result);

[[nodiscard]] base::Result<contract::RunRequest> restore_request(const Contents& store, Database& reader,
                                                                 std::string_view json,
                                                                 const std::vector<ContentRow>& contents);
// The bytes of artifacts are not loaded.
[[nodiscard]] base::Result<contract::RunResult> restore_result(const Contents& store, Database& reader,
                                                               std::string_view json,
                                                               const std::vector<ContentRow>& contents);

}  // namespace glovebox::records

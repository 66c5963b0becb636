// One expected file against what was collected (V3).
#pragma once

#include <string>
#include <vector>

#include "contract/expect.h"
#include "contract/run_result.h"
#include "verification/file_format.h"
#include "verification/work_budget.h"

namespace glovebox::verification {

// The one that is named, or else what the end of the path says if rows, columns, a size or pages are asked for. Null:
// any bytes will do.
[[nodiscard]] const FileFormat* format_of(const contract::ExpectedArtifact& expected);

// Every way in which the file is not what was expected; `found` is null when the program did not make it. Of one that
// must not be there, absence.h says the rest.
[[nodiscard]] std::vector<std::string> problems_of(const contract::ExpectedArtifact& expected,
                                                   const contract::Artifact* found, WorkBudget& budget);

}  // namespace glovebox::verification

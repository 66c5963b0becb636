// The contents of a stream of a PDF, unpacked: cross-reference tables and packed objects come in these.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "verification/pdf_value.h"
#include "verification/work_budget.h"

namespace glovebox::verification {

// `packed` is what stands between "stream" and "endstream". Flate with PNG's predictors, or nothing; other ways to
// pack are refused. Memory is held for what comes out.
[[nodiscard]] base::Result<std::string> unpack_pdf_stream(std::string_view packed, const PdfValue& dictionary,
                                                          WorkBudget& budget);

}  // namespace glovebox::verification

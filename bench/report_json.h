// A report for machines: plots, and the regression guard, which reads `ratios` and nothing else.
#pragma once

#include <string>

#include "bench/report.h"

namespace glovebox::bench {

[[nodiscard]] std::string report_json(const Report& report);

}  // namespace glovebox::bench

// The promises about speed, judged on one report. Each is a ratio within one run of the benchmark or a figure that does
// not depend on the machine's clock; what was not measured is said to be not measured, never passed.
#pragma once

#include <vector>

#include "bench/report.h"

namespace glovebox::bench {

[[nodiscard]] std::vector<Bar> judge(const Report& report);
[[nodiscard]] bool any_missed(const std::vector<Bar>& bars);

}  // namespace glovebox::bench

// A report for people at a terminal.
#pragma once

#include <string>

#include "bench/report.h"

namespace glovebox::bench {

[[nodiscard]] std::string report_text(const Report& report);
[[nodiscard]] std::string bars_text(const std::vector<Bar>& bars);
// Milliseconds with three significant digits, as narrow as they can be: 0.412, 12.3, 1,204.
[[nodiscard]] std::string short_ms(double ms);

}  // namespace glovebox::bench

// A report as one picture: latencies on a logarithmic axis (a dot at p50, a whisker to p99), below them throughput and
// the burst as bars. A white card with its own background, so that it reads the same on a light and on a dark page.
#pragma once

#include <string>

#include "bench/report.h"

namespace glovebox::bench {

[[nodiscard]] std::string report_svg(const Report& report);

}  // namespace glovebox::bench

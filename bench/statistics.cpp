#include "bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace glovebox::bench {

double percentile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) {
    return 0;
  }
  // 0.999 * 1000 is a little more than 999 in binary; the rank must not slip by one because of that.
  constexpr double kRounding = 1e-9;
  const double rank = std::ceil(share * static_cast<double>(sorted.size()) - kRounding);
  const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
  return sorted[std::min(index, sorted.size() - 1)];
}

double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return percentile(samples, 0.5);
}

Summary summarize(std::vector<double> samples) {
  Summary summary;
  if (samples.empty()) {
    return summary;
  }
  std::sort(samples.begin(), samples.end());
  summary.runs = samples.size();
  summary.min = samples.front();
  summary.max = samples.back();
  summary.mean = std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
  summary.p50 = percentile(samples, 0.5);
  summary.p95 = percentile(samples, 0.95);
  summary.p99 = percentile(samples, 0.99);
  summary.p999 = percentile(samples, 0.999);
  return summary;
}

}  // namespace glovebox::bench

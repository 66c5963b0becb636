// What many measurements of one thing come down to.
//
// Percentiles are by nearest rank: the smallest sample that at least that share of all samples does not exceed. Nothing
// is interpolated, so every number in a report is a run that really took that long; with fewer than a thousand runs
// p99.9 is the slowest of them.
#pragma once

#include <cstddef>
#include <vector>

namespace glovebox::bench {

struct Summary {
  std::size_t runs = 0;
  double min = 0;
  double mean = 0;
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
  double p999 = 0;
  double max = 0;
  bool operator==(const Summary&) const = default;
};

// `sorted` in ascending order; `share` from 0 to 1. 0 when there is no sample.
[[nodiscard]] double percentile(const std::vector<double>& sorted, double share);
[[nodiscard]] double median(std::vector<double> samples);
[[nodiscard]] Summary summarize(std::vector<double> samples);

}  // namespace glovebox::bench

// What a scrape answers: families of series as text, for Prometheus (format 0.0.4) or as OpenMetrics 1.0.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "telemetry/metric_values.h"

namespace glovebox::telemetry {

enum class MetricType { counter, gauge, histogram };

using Labels = std::vector<std::pair<std::string, std::string>>;

struct Sample {
  Labels labels;
  std::variant<double, HistogramValue> value;
};

struct FamilySnapshot {
  std::string name;  // of a counter with "_total"
  std::string help;
  MetricType type = MetricType::gauge;
  std::vector<Sample> samples;
};

enum class ExpositionFormat { prometheus, openmetrics };

// OpenMetrics if the Accept field prefers it to text/plain; Prometheus for all else, also for what makes no sense.
[[nodiscard]] ExpositionFormat choose_format(std::string_view accept);
[[nodiscard]] std::string_view content_type(ExpositionFormat format);

// Names must be valid, families and their series unique: the registry sees to it. Label values may be anything: they
// are escaped, and what is not UTF-8 is replaced.
[[nodiscard]] std::string write_exposition(const std::vector<FamilySnapshot>& families, ExpositionFormat format);

}  // namespace glovebox::telemetry

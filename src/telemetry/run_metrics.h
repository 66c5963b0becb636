// What is counted of every run (O2). observe() costs about half a microsecond; a warm run costs thousands of them.
//
// A result from the cache is counted as a run with path="cached" and nowhere else: its time, CPU and denials belong to
// the run that made it. A run that never reached a cell (refused, say) has path="none" and no times.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "contract/run_result.h"
#include "telemetry/registry.h"

namespace glovebox::telemetry {

enum class TenantLabel { off, on };

struct RunMetricsOptions {
  // Names for the label "language"; any other is counted as "other". A request can name anything.
  std::vector<std::string> languages = {"python", "javascript", "bash"};
  // Adds the label "tenant" to runs and CPU seconds: for few tenants that trust each other with their names.
  TenantLabel tenant_label = TenantLabel::off;
};

class RunMetrics {
 public:
  explicit RunMetrics(Registry& registry, RunMetricsOptions options = {});

  void observe(const contract::RunResult& result, std::string_view language, std::string_view tenant = {});

  // In the order in which a run goes through them; any other stage is counted as "other".
  static constexpr std::array<std::string_view, 14> kStages = {"queue",    "plan",    "take",    "cgroup",  "clone",
                                                               "identity", "root",    "seal",    "limits",  "inputs",
                                                               "setup",    "program", "collect", "teardown"};

 private:
  [[nodiscard]] std::string_view known_language(std::string_view language) const;
  void observe_stages(const contract::Metrics& metrics);

  RunMetricsOptions options_;
  Family<Counter>& runs_;
  Family<Histogram>& duration_;
  Family<Counter>& cpu_;
  Family<Counter>& denials_;
  Family<Counter>& output_;
  Counter& artifacts_;
  std::array<Histogram*, kStages.size()> stages_{};
  Histogram* other_stage_ = nullptr;
};

}  // namespace glovebox::telemetry

#include "telemetry/run_metrics.h"

#include <algorithm>

namespace glovebox::telemetry {
namespace {

constexpr double kMillisecond = 1e-3;

std::vector<double> run_bounds() {
  return {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};
}

// Most stages last tens of microseconds, the program up to a minute.
std::vector<double> stage_bounds() {
  return {0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
          0.05,    0.1,      0.25,    0.5,    1,       2.5,    5,     10,     30,    60};
}

// Layers of ours that refuse; a result that was read back could name anything.
std::string_view known_layer(std::string_view layer) {
  constexpr std::array<std::string_view, 8> kLayers = {"seccomp", "landlock",  "policy", "network",
                                                       "cgroup",  "artifacts", "mount",  "rlimit"};
  return std::find(kLayers.begin(), kLayers.end(), layer) != kLayers.end() ? layer : "other";
}

// What a caller waited for: queue, setup, the program, and our work after it.
double duration_ms(const contract::Metrics& metrics) {
  double sum = metrics.queue_ms + metrics.setup_ms + metrics.wall_ms;
  for (const char* stage : {"collect", "teardown"}) {
    if (const auto found = metrics.stages.find(stage); found != metrics.stages.end()) {
      sum += found->second;
    }
  }
  return sum;
}

std::string_view path_of(const contract::RunResult& result) {
  if (result.cached) {
    return "cached";
  }
  if (result.attempts.empty()) {
    return "none";
  }
  return result.attempts.back().path == "warm" ? "warm" : "cold";
}

}  // namespace

RunMetrics::RunMetrics(Registry& registry, RunMetricsOptions options)
    : options_(std::move(options)),
      runs_(options_.tenant_label == TenantLabel::on
                ? registry.counters("glovebox_runs_total", "Runs by language, outcome, path and tenant",
                                    {"language", "outcome", "path", "tenant"})
                : registry.counters("glovebox_runs_total", "Runs by language, outcome and path",
                                    {"language", "outcome", "path"})),
      duration_(registry.histograms("glovebox_run_duration_seconds",
                                    "From being accepted to the result, for runs that reached a cell", run_bounds(),
                                    {"language", "path"})),
      cpu_(options_.tenant_label == TenantLabel::on
               ? registry.counters("glovebox_run_cpu_seconds_total", "CPU time of programs", {"tenant"})
               : registry.counters("glovebox_run_cpu_seconds_total", "CPU time of programs")),
      denials_(registry.counters("glovebox_denials_total", "Refusals that programs met, by the layer that refused",
                                 {"layer"})),
      output_(registry.counters("glovebox_output_bytes_total", "What programs wrote, before it was cut", {"stream"})),
      artifacts_(registry.counters("glovebox_artifact_bytes_total", "Files that runs gave back").only()) {
  auto& stages = registry.histograms("glovebox_run_stage_seconds", "Time in each stage of a run; some overlap",
                                     stage_bounds(), {"stage"});
  for (std::size_t index = 0; index < kStages.size(); ++index) {
    stages_[index] = &stages.with({kStages[index]});
  }
  other_stage_ = &stages.with({"other"});
}

void RunMetrics::observe(const contract::RunResult& result, std::string_view language, std::string_view tenant) {
  const std::string_view path = path_of(result);
  const std::string_view known = known_language(language);
  runs_.with({known, contract::to_string(result.outcome), path, tenant}).add();
  if (path == "cached" || path == "none") {
    return;
  }
  duration_.with({known, path}).observe(duration_ms(result.metrics) * kMillisecond);
  cpu_.with({tenant}).add(result.metrics.cpu_ms * kMillisecond);
  observe_stages(result.metrics);
  for (const contract::Denial& denial : result.denials) {
    denials_.with({known_layer(denial.layer)}).add(static_cast<double>(denial.count));
  }
  output_.with({"stdout"}).add(static_cast<double>(result.stdout_bytes));
  output_.with({"stderr"}).add(static_cast<double>(result.stderr_bytes));
  for (const contract::Artifact& artifact : result.artifacts) {
    artifacts_.add(static_cast<double>(artifact.bytes));
  }
}

std::string_view RunMetrics::known_language(std::string_view language) const {
  const bool known =
      std::find(options_.languages.begin(), options_.languages.end(), language) != options_.languages.end();
  return known ? language : "other";
}

void RunMetrics::observe_stages(const contract::Metrics& metrics) {
  if (metrics.queue_ms > 0) {
    stages_.front()->observe(metrics.queue_ms * kMillisecond);
  }
  for (const auto& [name, milliseconds] : metrics.stages) {
    const auto found = std::find(kStages.begin(), kStages.end(), name);
    Histogram& stage =
        found == kStages.end() ? *other_stage_ : *stages_[static_cast<std::size_t>(found - kStages.begin())];
    stage.observe(milliseconds * kMillisecond);
  }
}

}  // namespace glovebox::telemetry

#include "telemetry/run_metrics.h"

#include <gtest/gtest.h>

#include <chrono>

#include "telemetry/exposition_parser.h"

namespace glovebox::telemetry {
namespace {

using testing::scrape;

contract::RunResult warm_result() {
  contract::RunResult result;
  result.outcome = contract::Outcome::ok;
  result.stdout_bytes = 100;
  result.stderr_bytes = 7;
  result.metrics.wall_ms = 1.0;
  result.metrics.setup_ms = 0.25;
  result.metrics.cpu_ms = 500;
  result.metrics.stages = {{"plan", 0.04}, {"take", 0.09}, {"limits", 0.02},  {"inputs", 0.04},
                           {"setup", 0.1}, {"program", 1}, {"collect", 0.25}, {"teardown", 0.5}};
  result.artifacts = {{"a", 10, "", "", ""}, {"b", 20, "", "", ""}};
  result.denials = {{"socket", "", "seccomp", "", 3}, {"?", "", "made up\n", "", 1}};
  result.provenance.warm = true;
  result.attempts = {{"warm", "ok"}};
  return result;
}

TEST(RunMetrics, CountWhatARunDid) {
  Registry registry;
  RunMetrics metrics(registry);
  metrics.observe(warm_result(), "python", "acme");
  metrics.observe(warm_result(), "python", "acme");
  const auto seen = scrape(registry);
  EXPECT_EQ(seen.at("glovebox_runs_total").value({{"language", "python"}, {"outcome", "ok"}, {"path", "warm"}}), 2);
  const std::map<std::string, std::string> labels = {{"language", "python"}, {"path", "warm"}};
  EXPECT_EQ(seen.at("glovebox_run_duration_seconds").value(labels, "_count"), 2);
  EXPECT_NEAR(*seen.at("glovebox_run_duration_seconds").value(labels, "_sum"), 0.004, 1e-9);
  EXPECT_EQ(seen.at("glovebox_run_cpu_seconds_total").value(), 1);
  EXPECT_EQ(seen.at("glovebox_run_stage_seconds").value({{"stage", "program"}}, "_count"), 2);
  EXPECT_EQ(seen.at("glovebox_run_stage_seconds").value({{"stage", "cgroup"}}, "_count"), 0);
  EXPECT_EQ(seen.at("glovebox_denials_total").value({{"layer", "seccomp"}}), 6);
  EXPECT_EQ(seen.at("glovebox_denials_total").value({{"layer", "other"}}), 2);
  EXPECT_EQ(seen.at("glovebox_output_bytes_total").value({{"stream", "stdout"}}), 200);
  EXPECT_EQ(seen.at("glovebox_artifact_bytes_total").value(), 60);
}

TEST(RunMetrics, CountACachedResultOnce) {
  Registry registry;
  RunMetrics metrics(registry);
  contract::RunResult cached = warm_result();
  cached.cached = true;
  metrics.observe(cached, "python");
  const auto seen = scrape(registry);
  EXPECT_EQ(seen.at("glovebox_runs_total").value({{"language", "python"}, {"outcome", "ok"}, {"path", "cached"}}), 1);
  EXPECT_EQ(seen.at("glovebox_run_cpu_seconds_total").samples.size(), 0U);
  EXPECT_EQ(seen.at("glovebox_run_stage_seconds").value({{"stage", "program"}}, "_count"), 0);
}

TEST(RunMetrics, KeepStrangersOutOfTheLabels) {
  Registry registry;
  RunMetrics metrics(registry);
  for (int index = 0; index < 5000; ++index) {
    contract::RunResult refused;
    refused.outcome = contract::Outcome::rejected;
    metrics.observe(refused, "language-" + std::to_string(index), "tenant-" + std::to_string(index));
  }
  const auto seen = scrape(registry);
  EXPECT_EQ(seen.at("glovebox_runs_total").samples.size(), 1U);
  EXPECT_EQ(seen.at("glovebox_runs_total").value({{"language", "other"}, {"outcome", "rejected"}, {"path", "none"}}),
            5000);
}

TEST(RunMetrics, NameTenantsOnlyWhenAskedTo) {
  Registry registry;
  RunMetricsOptions options;
  options.tenant_label = TenantLabel::on;
  RunMetrics metrics(registry, options);
  metrics.observe(warm_result(), "python", "acme");
  const auto seen = scrape(registry);
  EXPECT_EQ(seen.at("glovebox_runs_total")
                .value({{"language", "python"}, {"outcome", "ok"}, {"path", "warm"}, {"tenant", "acme"}}),
            1);
  EXPECT_EQ(seen.at("glovebox_run_cpu_seconds_total").value({{"tenant", "acme"}}), 0.5);
}

// The bar is 3 µs. Ten times that is for a busy machine and for the sanitizers: it still tells a lock that is held for
// long, or a family that is searched, from what is meant.
TEST(RunMetrics, CostLittlePerRun) {
  Registry registry;
  RunMetrics metrics(registry);
  const contract::RunResult result = warm_result();
  constexpr int kRounds = 20'000;
  double best = 1e9;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const auto start = std::chrono::steady_clock::now();
    for (int round = 0; round < kRounds; ++round) {
      metrics.observe(result, "python", "acme");
    }
    const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
    best = std::min(best, spent.count() / kRounds);
  }
  RecordProperty("microseconds", std::to_string(best));
  std::printf("observe: %.2f us\n", best);
  EXPECT_LT(best, 200.0);  // about 0.5 µs; sanitizers make it 40
}

}  // namespace
}  // namespace glovebox::telemetry

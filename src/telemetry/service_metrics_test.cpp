#include "telemetry/service_metrics.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "engine/pool/pool_metrics.h"
#include "server/http/server.h"
#include "telemetry/exposition_parser.h"
#include "telemetry/span_exporter.h"

namespace glovebox::telemetry {
namespace {

using testing::parse_exposition;
using namespace std::chrono_literals;

TEST(ServiceMetrics, ShowEverySourceInBothFormats) {
  Registry registry;
  ServiceSources sources;
  sources.pool = [] {
    engine::PoolMetrics pool;
    pool.kinds["python/data"].hits = 12;
    pool.kinds["python/data"].refill_ms_total = 1500;
    pool.kinds["javascript"].idle = 3;
    pool.fallbacks = 1;
    return pool;
  };
  sources.queue = [] { return std::vector<QueueClass>{{"interactive", 4, 2}, {"batch", 9, 1}}; };
  sources.breakers = [] { return std::vector<BreakerScope>{{"task", 1, 4, 7}, {"tenant", 0, 0, 0}}; };
  sources.http = [] {
    http::ServerStats stats;
    stats.connections_open = 5;
    stats.requests_malformed = 2;
    return stats;
  };
  sources.store_bytes = [] { return std::uint64_t{1} << 33U; };
  sources.traces = [] {
    ExporterStats stats;
    stats.exported = 10;
    stats.dropped_full = 3;
    return stats;
  };
  sources.log_lines_dropped = [] { return std::uint64_t{6}; };
  add_service_metrics(registry, sources);
  add_build_info(registry, "1.2.3", "abc\"def");
  for (const ExpositionFormat format : {ExpositionFormat::prometheus, ExpositionFormat::openmetrics}) {
    const auto seen = parse_exposition(registry.render(format), format);
    const std::string total = format == ExpositionFormat::prometheus ? "_total" : "";
    EXPECT_EQ(seen.at("glovebox_pool_hits" + total).value({{"kind", "python/data"}}), 12);
    EXPECT_EQ(seen.at("glovebox_pool_refill_seconds" + total).value({{"kind", "python/data"}}), 1.5);
    EXPECT_EQ(seen.at("glovebox_pool_idle_cells").value({{"kind", "javascript"}}), 3);
    EXPECT_EQ(seen.at("glovebox_pool_fallbacks" + total).value(), 1);
    EXPECT_EQ(seen.at("glovebox_queue_waiting").value({{"class", "batch"}}), 9);
    EXPECT_EQ(seen.at("glovebox_breakers_open").value({{"scope", "task"}}), 1);
    EXPECT_EQ(seen.at("glovebox_breakers_refused" + total).value({{"scope", "task"}}), 7);
    EXPECT_EQ(seen.at("glovebox_http_connections").value(), 5);
    EXPECT_EQ(seen.at("glovebox_http_requests_malformed" + total).value(), 2);
    EXPECT_EQ(seen.at("glovebox_store_bytes").value(), 8589934592.0);
    EXPECT_EQ(seen.at("glovebox_trace_spans" + total).value({{"fate", "queue_full"}}), 3);
    EXPECT_EQ(seen.at("glovebox_log_lines_dropped" + total).value(), 6);
    EXPECT_EQ(seen.at("glovebox_build_info").value({{"version", "1.2.3"}, {"revision", "abc\"def"}}), 1);
  }
}

TEST(HttpMetrics, CountAnswersByRouteAndNeverByMethodsThatDoNotExist) {
  Registry registry;
  HttpMetrics metrics(registry);
  metrics.observe("POST", "/v1/runs", 200, 2ms);
  metrics.observe("POST", "/v1/runs", 429, 100us);
  for (int index = 0; index < 100; ++index) {
    metrics.observe("M" + std::to_string(index), "unknown", 501, 1us);
  }
  const auto seen = parse_exposition(registry.render(ExpositionFormat::prometheus));
  EXPECT_EQ(seen.at("glovebox_http_requests_total").samples.size(), 3U);
  EXPECT_EQ(
      seen.at("glovebox_http_requests_total").value({{"method", "POST"}, {"route", "/v1/runs"}, {"status", "429"}}), 1);
  const std::map<std::string, std::string> labels = {{"method", "POST"}, {"route", "/v1/runs"}};
  EXPECT_NEAR(*seen.at("glovebox_http_request_duration_seconds").value(labels, "_sum"), 0.0021, 1e-9);
}

TEST(ProcessMetrics, AreThoseOfThisProcess) {
  Registry registry;
  add_process_metrics(registry);
  const auto before = parse_exposition(registry.render(ExpositionFormat::prometheus));
  const auto now = static_cast<double>(::time(nullptr));
  const double started = *before.at("process_start_time_seconds").value();
  EXPECT_LT(started, now + 2);
  EXPECT_GT(started, now - 3600);
  EXPECT_GT(*before.at("process_resident_memory_bytes").value(), 1e5);
  EXPECT_GE(*before.at("process_virtual_memory_bytes").value(), *before.at("process_resident_memory_bytes").value());
  const int extra = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const auto after = parse_exposition(registry.render(ExpositionFormat::prometheus));
  ::close(extra);
  EXPECT_EQ(*after.at("process_open_fds").value(), *before.at("process_open_fds").value() + 1);
  EXPECT_GE(*after.at("process_cpu_seconds_total").value(), *before.at("process_cpu_seconds_total").value());
}

}  // namespace
}  // namespace glovebox::telemetry

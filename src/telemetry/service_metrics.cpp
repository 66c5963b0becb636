#include "telemetry/service_metrics.h"

#include <algorithm>
#include <array>

#include "engine/pool/pool_metrics.h"  // values only: nothing of the engine is linked
#include "server/http/server.h"
#include "telemetry/span_exporter.h"

namespace glovebox::telemetry {
namespace {

constexpr double kSecondsPerMs = 1e-3;

double number(std::uint64_t value) { return static_cast<double>(value); }

void scrape_pool(Scrape& scrape, const engine::PoolMetrics& pool) {
  for (const auto& [name, kind] : pool.kinds) {
    const Labels labels = {{"kind", name}};
    scrape.counter("glovebox_pool_hits_total", "Runs served by a cell that waited", labels, number(kind.hits));
    scrape.counter("glovebox_pool_queued_total", "Of the hits, runs that had to wait for their cell", labels,
                   number(kind.queued));
    scrape.counter("glovebox_pool_misses_total", "Runs that could have been warm but found no cell", labels,
                   number(kind.misses));
    scrape.counter("glovebox_pool_made_total", "Cells made", labels, number(kind.made));
    scrape.counter("glovebox_pool_discarded_total", "Cells thrown away unused", labels, number(kind.discarded));
    scrape.counter("glovebox_pool_failures_total", "Cells or zygotes that could not be made", labels,
                   number(kind.failures));
    scrape.counter("glovebox_pool_zygotes_total", "Zygotes started", labels, number(kind.zygotes));
    scrape.counter("glovebox_pool_refill_seconds_total", "Time spent making cells", labels,
                   kind.refill_ms_total * kSecondsPerMs);
    scrape.counter("glovebox_pool_refill_cpu_seconds_total", "CPU time spent making cells", labels,
                   kind.refill_cpu_ms_total * kSecondsPerMs);
    scrape.counter("glovebox_pool_run_cpu_seconds_total",
                   "CPU time of the runs themselves; with the refill, what warm runs cost", labels,
                   kind.run_cpu_ms_total * kSecondsPerMs);
    scrape.gauge("glovebox_pool_idle_oldest_seconds", "Age of the oldest cell that waits", labels,
                 kind.idle_ms_oldest * kSecondsPerMs);
    scrape.counter("glovebox_pool_idle_seconds_total", "How long used cells had waited", labels,
                   kind.idle_ms_total * kSecondsPerMs);
    scrape.gauge("glovebox_pool_idle_cells", "Cells that wait", labels, number(kind.idle));
    scrape.gauge("glovebox_pool_target_cells", "Cells that should wait", labels, number(kind.target));
    scrape.gauge("glovebox_pool_cell_bytes", "Memory of one idle cell, as last measured", labels,
                 number(kind.private_bytes));
    scrape.gauge("glovebox_pool_zygote_bytes", "Memory of the zygote, as last measured", labels,
                 number(kind.zygote_bytes));
  }
  scrape.gauge("glovebox_pool_memory_bytes", "Memory of all that waits", {}, number(pool.memory_bytes));
  scrape.counter("glovebox_pool_fallbacks_total", "Runs that failed twice on the warm path and went to the cold one",
                 {}, number(pool.fallbacks));
}

void scrape_queue(Scrape& scrape, const std::vector<QueueClass>& classes) {
  for (const QueueClass& tenants : classes) {
    const Labels labels = {{"class", tenants.name}};
    scrape.gauge("glovebox_queue_waiting", "Runs that wait for their turn", labels, number(tenants.waiting));
    scrape.gauge("glovebox_queue_running", "Runs under way", labels, number(tenants.running));
  }
}

void scrape_breakers(Scrape& scrape, const std::vector<BreakerScope>& scopes) {
  for (const BreakerScope& scope : scopes) {
    const Labels labels = {{"scope", scope.name}};
    scrape.gauge("glovebox_breakers_open", "Circuits that are open", labels, number(scope.open));
    scrape.counter("glovebox_breakers_opened_total", "Circuits that were opened", labels, number(scope.opened));
    scrape.counter("glovebox_breakers_refused_total", "Runs refused by an open circuit", labels, number(scope.refused));
  }
}

void scrape_http(Scrape& scrape, const http::ServerStats& stats) {
  scrape.gauge("glovebox_http_connections", "Open connections", {}, number(stats.connections_open));
  scrape.counter("glovebox_http_connections_accepted_total", "Connections accepted", {},
                 number(stats.connections_accepted));
  scrape.counter("glovebox_http_connections_refused_total", "Connections turned away: there were too many", {},
                 number(stats.connections_refused));
  scrape.counter("glovebox_http_requests_started_total", "Requests handed to a handler", {},
                 number(stats.requests_started));
  scrape.gauge("glovebox_http_body_bytes", "Request bodies in memory, beyond the first 64 KiB of each", {},
               number(stats.body_bytes_held));
  scrape.counter("glovebox_http_requests_malformed_total", "Requests refused before any handler saw them", {},
                 number(stats.requests_malformed));
}

void scrape_traces(Scrape& scrape, const ExporterStats& stats) {
  constexpr std::string_view kSpans = "Spans by what became of them";
  scrape.counter("glovebox_trace_spans_total", kSpans, {{"fate", "exported"}}, number(stats.exported));
  scrape.counter("glovebox_trace_spans_total", kSpans, {{"fate", "queue_full"}}, number(stats.dropped_full));
  scrape.counter("glovebox_trace_spans_total", kSpans, {{"fate", "failed"}}, number(stats.dropped_failed));
  scrape.gauge("glovebox_trace_spans_queued", "Spans that wait to be sent", {}, number(stats.queued));
  scrape.counter("glovebox_trace_failed_requests_total", "Attempts to send spans that failed", {},
                 number(stats.failed_requests));
}

std::string_view known_method(std::string_view method) {
  constexpr std::array<std::string_view, 7> kMethods = {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"};
  return std::find(kMethods.begin(), kMethods.end(), method) != kMethods.end() ? method : "other";
}

}  // namespace

HttpMetrics::HttpMetrics(Registry& registry)
    : requests_(registry.counters("glovebox_http_requests_total", "Requests answered", {"method", "route", "status"})),
      duration_(registry.histograms(
          "glovebox_http_request_duration_seconds", "From a complete request to its answer",
          {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60},
          {"method", "route"})) {}

void HttpMetrics::observe(std::string_view method, std::string_view route, int status,
                          std::chrono::nanoseconds duration) {
  const std::string_view known = known_method(method);
  requests_.with({known, route, std::to_string(status)}).add();
  duration_.with({known, route}).observe(std::chrono::duration<double>(duration).count());
}

void add_service_metrics(Registry& registry, ServiceSources sources) {
  registry.add_source([sources = std::move(sources)](Scrape& scrape) {
    if (sources.pool) {
      scrape_pool(scrape, sources.pool());
    }
    if (sources.queue) {
      scrape_queue(scrape, sources.queue());
    }
    if (sources.breakers) {
      scrape_breakers(scrape, sources.breakers());
    }
    if (sources.http) {
      scrape_http(scrape, sources.http());
    }
    if (sources.store_bytes) {
      scrape.gauge("glovebox_store_bytes", "What the data directory holds", {}, number(sources.store_bytes()));
    }
    if (sources.traces) {
      scrape_traces(scrape, sources.traces());
    }
    if (sources.log_lines_dropped) {
      scrape.counter("glovebox_log_lines_dropped_total", "Log lines that nobody took", {},
                     number(sources.log_lines_dropped()));
    }
  });
}

void add_build_info(Registry& registry, std::string version, std::string revision) {
  registry.add_source([version = std::move(version), revision = std::move(revision)](Scrape& scrape) {
    scrape.gauge("glovebox_build_info", "The program that answers", {{"version", version}, {"revision", revision}}, 1);
  });
}

}  // namespace glovebox::telemetry

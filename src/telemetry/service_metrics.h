// The other numbers of a server: HTTP, the pool, the queue, the store, the exporter, the process itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/registry.h"

namespace glovebox::engine {
struct PoolMetrics;
}
namespace glovebox::http {
struct ServerStats;
}

namespace glovebox::telemetry {

struct ExporterStats;

// Requests that were answered.
class HttpMetrics {
 public:
  explicit HttpMetrics(Registry& registry);

  // `route` is the server's own word for it ("/v1/runs/{id}"), never the request's target. A method that HTTP does not
  // know is counted as "other".
  void observe(std::string_view method, std::string_view route, int status, std::chrono::nanoseconds duration);

 private:
  Family<Counter>& requests_;
  Family<Histogram>& duration_;
};

// One class of tenants as the scheduler sees it.
struct QueueClass {
  std::string name;
  std::uint64_t waiting = 0;
  std::uint64_t running = 0;
};

// Circuit breakers of all tasks, or of all tenants.
struct BreakerScope {
  std::string name;
  std::uint64_t open = 0;
  std::uint64_t opened = 0;
  std::uint64_t refused = 0;
};

// Asked at every scrape; one that is not set is left out. All must outlive the registry's last scrape.
struct ServiceSources {
  std::function<engine::PoolMetrics()> pool;
  std::function<std::vector<QueueClass>()> queue;
  std::function<std::vector<BreakerScope>()> breakers;
  std::function<http::ServerStats()> http;
  std::function<std::uint64_t()> store_bytes;
  std::function<ExporterStats()> traces;
  std::function<std::uint64_t()> log_lines_dropped;
};
void add_service_metrics(Registry& registry, ServiceSources sources);

// process_*: CPU time, memory, descriptors, start time, as every Prometheus client names them.
void add_process_metrics(Registry& registry);

// glovebox_build_info{version, revision} 1
void add_build_info(Registry& registry, std::string version, std::string revision);

}  // namespace glovebox::telemetry

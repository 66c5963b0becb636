// Everything that watches the service: metrics, traces, the log.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "runner/service_settings.h"
#include "telemetry/log.h"
#include "telemetry/registry.h"
#include "telemetry/run_metrics.h"
#include "telemetry/sampler.h"
#include "telemetry/service_metrics.h"
#include "telemetry/span_exporter.h"

namespace glovebox::server {

class Observers {
 public:
  // Traces go where OpenTelemetry's environment variables say; log lines go to standard error.
  [[nodiscard]] static base::Result<std::unique_ptr<Observers>> create(const runner::ServeSettings& settings,
                                                                       std::string version);

  telemetry::Registry registry;
  telemetry::HttpMetrics http;
  telemetry::RunMetrics runs;
  telemetry::Logger log;
  telemetry::Sampler sampler;
  std::unique_ptr<telemetry::SpanExporter> spans;  // null: nobody collects
  std::string version;

 private:
  Observers(telemetry::LogOptions log_options, telemetry::Sampler given_sampler,
            std::unique_ptr<telemetry::SpanExporter> exporter, std::string given_version);
};

}  // namespace glovebox::server

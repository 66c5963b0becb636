#include "server/api/observers.h"

#include <unistd.h>

#include <utility>

#include "telemetry/trace_config.h"

namespace glovebox::server {

using base::Result;

Observers::Observers(telemetry::LogOptions log_options, telemetry::Sampler given_sampler,
                     std::unique_ptr<telemetry::SpanExporter> exporter, std::string given_version)
    : http(registry),
      runs(registry),
      log(STDERR_FILENO, std::move(log_options)),
      sampler(given_sampler),
      spans(std::move(exporter)),
      version(std::move(given_version)) {
  telemetry::add_process_metrics(registry);
  telemetry::add_build_info(registry, version, "");
}

Result<std::unique_ptr<Observers>> Observers::create(const runner::ServeSettings& settings, std::string version) {
  telemetry::LogOptions log_options;
  log_options.format = telemetry::parse_log_format(settings.log_format).value_or(telemetry::LogFormat::logfmt);
  log_options.level = telemetry::parse_log_level(settings.log_level).value_or(telemetry::LogLevel::info);
  auto tracing = TRY(telemetry::trace_config(telemetry::process_environment, version));
  std::unique_ptr<telemetry::SpanExporter> exporter;
  if (tracing.exporter) {
    exporter = TRY(telemetry::SpanExporter::start(std::move(*tracing.exporter)));
  }
  return std::unique_ptr<Observers>(
      new Observers(std::move(log_options), tracing.sampler, std::move(exporter), std::move(version)));
}

}  // namespace glovebox::server

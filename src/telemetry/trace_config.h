// Tracing as OpenTelemetry's standard environment variables describe it.
//
// OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, or OTEL_EXPORTER_OTLP_ENDPOINT (to which /v1/traces is added); the same pair for
// _HEADERS, _TIMEOUT and _PROTOCOL; OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_TRACES_SAMPLER and _ARG,
// OTEL_TRACES_EXPORTER (otlp or none), OTEL_SDK_DISABLED. A value that cannot be used is an error, not a default: who
// asked for traces and gets none should know. An empty variable counts as none, as the standard says.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "telemetry/sampler.h"
#include "telemetry/span_exporter.h"

namespace glovebox::telemetry {

// Looks a variable up; "" if there is none. process_environment is getenv.
using Environment = std::function<std::string(const char* name)>;
[[nodiscard]] std::string process_environment(const char* name);

struct TraceConfig {
  Sampler sampler;
  // None: nothing is exported, and a caller's trace is only passed on.
  std::optional<ExporterOptions> exporter;
};

// `version` becomes the resource's service.version.
[[nodiscard]] base::Result<TraceConfig> trace_config(const Environment& environment, std::string_view version);

}  // namespace glovebox::telemetry

// Which traces are recorded: the standard samplers of OpenTelemetry.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "telemetry/trace_context.h"

namespace glovebox::telemetry {

struct Sampler {
  // 1 records all, 0 none; else by the trace's id, so that every service that sees the trace decides alike.
  double ratio = 1;
  // A caller that sent a trace has decided already.
  enum class Parent { decides, is_ignored };
  Parent parent = Parent::decides;

  bool operator==(const Sampler&) const = default;

  [[nodiscard]] bool samples(const std::optional<TraceContext>& caller, const TraceId& trace_id) const;
};

// OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG: always_on, always_off, traceidratio, and the same with parentbased_
// before it. No name is parentbased_always_on.
[[nodiscard]] base::Result<Sampler> parse_sampler(std::string_view name, std::string_view argument);

// A place for a new span: in the caller's trace, or at the root of a new one.
[[nodiscard]] TraceContext start_context(const std::optional<TraceContext>& caller, const Sampler& sampler);
// A place below `parent`, in the same trace.
[[nodiscard]] TraceContext child_of(const TraceContext& parent);

}  // namespace glovebox::telemetry

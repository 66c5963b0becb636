#include "telemetry/sampler.h"

#include <charconv>
#include <string>

namespace glovebox::telemetry {
namespace {

using base::ErrorCode;
using base::fail;
using base::Result;

Result<double> parse_ratio(std::string_view text) {
  if (text.empty()) {
    return 1.0;
  }
  double ratio = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), ratio);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || !(ratio >= 0 && ratio <= 1)) {
    return fail(base::make_error(ErrorCode::invalid_request, "OTEL_TRACES_SAMPLER_ARG is not a number from 0 to 1")
                    .with_hint("0.1 records every tenth trace"));
  }
  return ratio;
}

}  // namespace

bool Sampler::samples(const std::optional<TraceContext>& caller, const TraceId& trace_id) const {
  if (caller && parent == Parent::decides) {
    return caller->sampled;
  }
  if (ratio >= 1 || ratio <= 0) {
    return ratio >= 1;
  }
  // The last eight bytes are the random ones also where the first come from an older system.
  std::uint64_t value = 0;
  for (std::size_t index = 8; index < trace_id.bytes.size(); ++index) {
    value = value << 8U | trace_id.bytes[index];
  }
  constexpr double kRange = 9223372036854775808.0;  // 2^63
  return static_cast<double>(value >> 1U) < ratio * kRange;
}

Result<Sampler> parse_sampler(std::string_view name, std::string_view argument) {
  constexpr std::string_view kParentBased = "parentbased_";
  Sampler sampler;
  if (name.empty()) {
    return sampler;
  }
  std::string_view kind = name;
  if (kind.starts_with(kParentBased)) {
    kind.remove_prefix(kParentBased.size());
  } else {
    sampler.parent = Sampler::Parent::is_ignored;
  }
  if (kind == "always_on") {
    sampler.ratio = 1;
  } else if (kind == "always_off") {
    sampler.ratio = 0;
  } else if (kind == "traceidratio") {
    sampler.ratio = TRY(parse_ratio(argument));
  } else {
    return fail(base::make_error(ErrorCode::invalid_request, "unknown sampler in OTEL_TRACES_SAMPLER")
                    .with_hint("use always_on, always_off or traceidratio, with or without parentbased_ before it"));
  }
  return sampler;
}

TraceContext start_context(const std::optional<TraceContext>& caller, const Sampler& sampler) {
  TraceContext context;
  context.trace_id = caller ? caller->trace_id : random_trace_id();
  context.span_id = random_span_id();
  context.sampled = sampler.samples(caller, context.trace_id);
  context.state = caller ? caller->state : "";
  return context;
}

TraceContext child_of(const TraceContext& parent) {
  TraceContext context = parent;
  context.span_id = random_span_id();
  return context;
}

}  // namespace glovebox::telemetry

// Who called us, as W3C Trace Context says it: the header fields traceparent and tracestate.
//
// Read strictly, since they come from strangers: one traceparent, lower-case hex, no all-zero id, version ff refused, a
// later version read as far as this one is defined. A traceparent that is refused means that the trace starts here,
// never that the request fails; its tracestate is dropped with it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace glovebox::telemetry {

template <std::size_t N>
struct Id {
  std::array<std::uint8_t, N> bytes{};

  bool operator==(const Id&) const = default;
  [[nodiscard]] bool is_zero() const { return *this == Id(); }
  [[nodiscard]] std::string hex() const;
};
using TraceId = Id<16>;
using SpanId = Id<8>;

[[nodiscard]] TraceId random_trace_id();
[[nodiscard]] SpanId random_span_id();

// One span's place in a trace.
struct TraceContext {
  TraceId trace_id;
  SpanId span_id;
  bool sampled = false;
  std::string state;  // tracestate, passed on as it came

  bool operator==(const TraceContext&) const = default;
};

[[nodiscard]] std::optional<TraceContext> parse_traceparent(std::string_view text);
// Always version 00.
[[nodiscard]] std::string format_traceparent(const TraceContext& context);

// The header's values in order, joined. Nothing if they break the grammar; members that do not fit in 512 bytes are
// left out as the recommendation says: long ones first, then from the end.
[[nodiscard]] std::string accept_tracestate(std::span<const std::string_view> values);

// Both fields of a request, each as often as it came.
[[nodiscard]] std::optional<TraceContext> read_trace_context(std::span<const std::string_view> traceparents,
                                                             std::span<const std::string_view> tracestates);

}  // namespace glovebox::telemetry

// A span: one named piece of work in a trace, as a value.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "telemetry/trace_context.h"

namespace glovebox::telemetry {

struct Attribute {
  std::string key;
  std::variant<bool, std::int64_t, double, std::string> value;

  bool operator==(const Attribute&) const = default;
};

// Numbered as OTLP numbers them.
enum class SpanKind { internal = 1, server = 2, client = 3, producer = 4, consumer = 5 };
enum class SpanStatus { unset = 0, ok = 1, error = 2 };

struct SpanEvent {
  std::string name;
  std::uint64_t time_unix_ns = 0;
  std::vector<Attribute> attributes;

  bool operator==(const SpanEvent&) const = default;
};

struct Span {
  TraceId trace_id;
  SpanId span_id;
  SpanId parent;  // zero: a root
  std::string trace_state;
  std::string name;
  SpanKind kind = SpanKind::internal;
  std::uint64_t start_unix_ns = 0;
  std::uint64_t end_unix_ns = 0;
  std::vector<Attribute> attributes;
  std::vector<SpanEvent> events;
  SpanStatus status = SpanStatus::unset;
  std::string status_message;  // of an error

  bool operator==(const Span&) const = default;
};

[[nodiscard]] inline std::uint64_t to_unix_ns(std::chrono::system_clock::time_point time) {
  const auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
  return since > 0 ? static_cast<std::uint64_t>(since) : 0;
}

}  // namespace glovebox::telemetry

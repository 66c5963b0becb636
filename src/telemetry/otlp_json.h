// Spans as the body of an OTLP/HTTP request: ExportTraceServiceRequest in OTLP's JSON, which is protobuf's with ids in
// hex, enums as numbers and 64-bit integers as strings.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/span.h"

namespace glovebox::telemetry {

// Who sends: service.name and its like.
using Resource = std::vector<Attribute>;

// Long strings are cut and surplus attributes and events left out, and counted in the dropped…Count fields.
[[nodiscard]] std::string encode_traces(const Resource& resource, std::span<const Span> spans);

// How many spans a collector that answered 200 did not take (partialSuccess.rejectedSpans); 0 for any other body.
[[nodiscard]] std::uint64_t rejected_spans(std::string_view answer);

}  // namespace glovebox::telemetry

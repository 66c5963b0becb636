#include "telemetry/otlp_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "contract/json_parse.h"
#include "contract/json_writer.h"

namespace glovebox::telemetry {
namespace {

using contract::JsonValue;
using contract::JsonWriter;

constexpr std::size_t kLongestString = 1024;
constexpr std::size_t kMostAttributes = 32;
constexpr std::size_t kMostEvents = 16;

void write_string(JsonWriter& json, std::string_view key, std::string_view value) {
  json.string(key, value.substr(0, kLongestString));
}

void write_ns(JsonWriter& json, std::string_view key, std::uint64_t value) { json.string(key, std::to_string(value)); }

void write_double(JsonWriter& json, double value) {
  if (std::isfinite(value)) {
    json.free_form(fmt::format("{}", value));
  } else {
    json.string(std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");  // protobuf's spelling
  }
}

struct ValueWriter {
  JsonWriter& json;

  void operator()(bool value) const { json.boolean("boolValue", value); }
  void operator()(std::int64_t value) const { json.string("intValue", std::to_string(value)); }
  void operator()(double value) const {
    json.key("doubleValue");
    write_double(json, value);
  }
  void operator()(const std::string& value) const { write_string(json, "stringValue", value); }
};

void write_attributes(JsonWriter& json, const std::vector<Attribute>& attributes) {
  json.key("attributes");
  json.begin_array();
  for (std::size_t index = 0; index < std::min(attributes.size(), kMostAttributes); ++index) {
    json.begin_object();
    write_string(json, "key", attributes[index].key);
    json.key("value");
    json.begin_object();
    std::visit(ValueWriter{json}, attributes[index].value);
    json.end_object();
    json.end_object();
  }
  json.end_array();
  if (attributes.size() > kMostAttributes) {
    json.integer("droppedAttributesCount", attributes.size() - kMostAttributes);
  }
}

void write_events(JsonWriter& json, const std::vector<SpanEvent>& events) {
  if (events.empty()) {
    return;
  }
  json.key("events");
  json.begin_array();
  for (std::size_t index = 0; index < std::min(events.size(), kMostEvents); ++index) {
    json.begin_object();
    write_ns(json, "timeUnixNano", events[index].time_unix_ns);
    write_string(json, "name", events[index].name);
    write_attributes(json, events[index].attributes);
    json.end_object();
  }
  json.end_array();
  if (events.size() > kMostEvents) {
    json.integer("droppedEventsCount", events.size() - kMostEvents);
  }
}

void write_span(JsonWriter& json, const Span& span) {
  json.begin_object();
  write_string(json, "traceId", span.trace_id.hex());
  write_string(json, "spanId", span.span_id.hex());
  if (!span.trace_state.empty()) {
    write_string(json, "traceState", span.trace_state);
  }
  if (!span.parent.is_zero()) {
    write_string(json, "parentSpanId", span.parent.hex());
  }
  write_string(json, "name", span.name);
  json.integer("kind", static_cast<std::uint64_t>(span.kind));
  write_ns(json, "startTimeUnixNano", span.start_unix_ns);
  write_ns(json, "endTimeUnixNano", span.end_unix_ns);
  write_attributes(json, span.attributes);
  write_events(json, span.events);
  json.key("status");
  json.begin_object();
  if (span.status != SpanStatus::unset) {
    json.integer("code", static_cast<std::uint64_t>(span.status));
  }
  if (!span.status_message.empty()) {
    write_string(json, "message", span.status_message);
  }
  json.end_object();
  json.end_object();
}

const JsonValue* member(const JsonValue& object, std::string_view key) {
  const auto has_key = [&](const contract::JsonMember& candidate) { return candidate.key == key; };
  const auto found = std::find_if(object.members.begin(), object.members.end(), has_key);
  return object.kind == JsonValue::Kind::object && found != object.members.end() ? &found->value : nullptr;
}

}  // namespace

std::string encode_traces(const Resource& resource, std::span<const Span> spans) {
  JsonWriter json;
  json.begin_object();
  json.key("resourceSpans");
  json.begin_array();
  json.begin_object();
  json.key("resource");
  json.begin_object();
  write_attributes(json, resource);
  json.end_object();
  json.key("scopeSpans");
  json.begin_array();
  json.begin_object();
  json.key("scope");
  json.begin_object();
  write_string(json, "name", "glovebox");
  json.end_object();
  json.key("spans");
  json.begin_array();
  for (const Span& span : spans) {
    write_span(json, span);
  }
  json.end_array();
  json.end_object();
  json.end_array();
  json.end_object();
  json.end_array();
  json.end_object();
  return json.take(contract::JsonStyle::compact);
}

std::uint64_t rejected_spans(std::string_view answer) {
  contract::JsonOptions options;
  options.bounds = {.max_bytes = 64U << 10U, .max_depth = 8, .max_values = 1'000, .max_keys = 1'000};
  const auto document = contract::parse_json(answer, options);
  if (!document) {
    return 0;
  }
  const JsonValue* partial = member(*document, "partialSuccess");
  const JsonValue* rejected = partial != nullptr ? member(*partial, "rejectedSpans") : nullptr;
  if (rejected == nullptr ||
      (rejected->kind != JsonValue::Kind::string && rejected->kind != JsonValue::Kind::integer)) {
    return 0;
  }
  std::uint64_t count = 0;
  const std::string& text = rejected->text;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), count);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() ? count : 0;
}

}  // namespace glovebox::telemetry

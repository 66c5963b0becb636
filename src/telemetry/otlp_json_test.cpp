#include "telemetry/otlp_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace glovebox::telemetry {
namespace {

using nlohmann::json;

TEST(OtlpJson, FollowsTheMapping) {
  Span span;
  span.trace_id = random_trace_id();
  span.span_id = random_span_id();
  span.parent = random_span_id();
  span.trace_state = "a=1";
  span.name = "glovebox.run";
  span.kind = SpanKind::server;
  span.start_unix_ns = 1'700'000'000'000'000'001;
  span.end_unix_ns = 1'700'000'000'000'000'002;
  span.attributes = {{"s", std::string("text")}, {"i", std::int64_t{-9007199254740993}}, {"d", 0.1}, {"b", true}};
  span.events = {{"e", 5, {{"n", std::int64_t{1}}}}};
  span.status = SpanStatus::error;
  span.status_message = "setup_failed";
  const std::vector<Span> spans = {span};
  const json document = json::parse(encode_traces({{"service.name", std::string("glovebox")}}, spans));
  const json wanted = {
      {"resourceSpans",
       {{{"resource", {{"attributes", {{{"key", "service.name"}, {"value", {{"stringValue", "glovebox"}}}}}}}},
         {"scopeSpans",
          {{{"scope", {{"name", "glovebox"}}},
            {"spans",
             {{{"traceId", span.trace_id.hex()},
               {"spanId", span.span_id.hex()},
               {"traceState", "a=1"},
               {"parentSpanId", span.parent.hex()},
               {"name", "glovebox.run"},
               {"kind", 2},
               {"startTimeUnixNano", "1700000000000000001"},
               {"endTimeUnixNano", "1700000000000000002"},
               {"attributes",
                {{{"key", "s"}, {"value", {{"stringValue", "text"}}}},
                 {{"key", "i"}, {"value", {{"intValue", "-9007199254740993"}}}},
                 {{"key", "d"}, {"value", {{"doubleValue", 0.1}}}},
                 {{"key", "b"}, {"value", {{"boolValue", true}}}}}},
               {"events",
                {{{"timeUnixNano", "5"},
                  {"name", "e"},
                  {"attributes", {{{"key", "n"}, {"value", {{"intValue", "1"}}}}}}}}},
               {"status", {{"code", 2}, {"message", "setup_failed"}}}}}}}}}}}}};
  EXPECT_EQ(document, wanted) << document.dump(1);
}

TEST(OtlpJson, IsValidForAnyBytesAndBounded) {
  Span span;
  span.trace_id = random_trace_id();
  span.span_id = random_span_id();
  span.name = "a\"\\\n\x01\xff";
  span.attributes = {{"nan", std::nan("")}, {"inf", -std::numeric_limits<double>::infinity()}};
  for (int index = 0; index < 100; ++index) {
    span.attributes.push_back({"k", std::string(100'000, '\xc3')});
    span.events.push_back({"e", 0, {}});
  }
  const std::vector<Span> spans = {span};
  const std::string text = encode_traces({}, spans);
  EXPECT_LT(text.size(), 200'000U);
  const json parsed = json::parse(text)["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
  EXPECT_EQ(parsed["name"], "a\"\\\n\x01\xef\xbf\xbd");
  EXPECT_EQ(parsed["attributes"].size(), 32U);
  EXPECT_EQ(parsed["droppedAttributesCount"], 70);
  EXPECT_EQ(parsed["droppedEventsCount"], 84);
  EXPECT_EQ(parsed["attributes"][0]["value"]["doubleValue"], "NaN");
  EXPECT_EQ(parsed["attributes"][1]["value"]["doubleValue"], "-Infinity");
  EXPECT_FALSE(parsed.contains("parentSpanId"));
  EXPECT_TRUE(parsed["status"].empty());
}

TEST(OtlpJson, ReadsHowManySpansWereRefused) {
  EXPECT_EQ(rejected_spans(R"({"partialSuccess":{"rejectedSpans":"7","errorMessage":"no"}})"), 7U);
  EXPECT_EQ(rejected_spans(R"({"partialSuccess":{"rejectedSpans":7}})"), 7U);
  for (const char* text : {"", "{}", "[]", "null", "<html>", R"({"partialSuccess":null})", R"({"partialSuccess":[7]})",
                           R"({"partialSuccess":{"rejectedSpans":"-7"}})", R"({"partialSuccess":{"rejectedSpans":{}}})",
                           R"({"partialSuccess":{"rejectedSpans":1.5}})"}) {
    EXPECT_EQ(rejected_spans(text), 0U) << text;
  }
}

}  // namespace
}  // namespace glovebox::telemetry

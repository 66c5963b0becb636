#include "server/api/call.h"

#include <utility>

#include "base/stopwatch.h"

namespace glovebox::server {

Call::Call(std::shared_ptr<http::Exchange> exchange, Observers& observers)
    : exchange_(std::move(exchange)),
      observers_(observers),
      started_unix_ns_(telemetry::to_unix_ns(std::chrono::system_clock::now())) {
  const http::Headers& headers = request().headers;
  const auto parents = headers.all("traceparent");
  const auto states = headers.all("tracestate");
  const auto caller = telemetry::read_trace_context(parents, states);
  trace = telemetry::start_context(caller, observers.sampler);
  caller_ = caller.value_or(telemetry::TraceContext());
}

void Call::respond(http::Response response) {
  response.headers.set("traceparent", telemetry::format_traceparent(trace));
  const int status = response.status;
  exchange_->respond(std::move(response));
  count(status);
}

void Call::start_stream(http::Headers headers) {
  headers.set("Content-Type", "text/event-stream");
  headers.set("Cache-Control", "no-store");
  headers.set("X-Accel-Buffering", "no");  // a proxy shall not wait for the end
  headers.set("traceparent", telemetry::format_traceparent(trace));
  exchange_->start_stream(200, std::move(headers));
}

void Call::end_stream() {
  exchange_->end();
  count(200);
}

void Call::count(int status) {
  const auto took = std::chrono::steady_clock::now() - started_;
  observers_.http.observe(request().method, route, status, took);
  const double took_ms = base::to_ms(took);
  const auto level = status >= 500 ? telemetry::LogLevel::warn : telemetry::LogLevel::debug;
  if (observers_.log.enabled(level)) {
    observers_.log.log(level, "request",
                       {{"method", request().method},
                        {"route", route},
                        {"status", status},
                        {"ms", took_ms},
                        {"tenant", identity.tenant},
                        {"peer", request().peer.address}},
                       {"", trace.trace_id.hex(), trace.span_id.hex()});
  }
  if (observers_.spans == nullptr || !trace.sampled) {
    return;
  }
  telemetry::Span span;
  span.trace_id = trace.trace_id;
  span.span_id = trace.span_id;
  span.parent = caller_.span_id;
  span.trace_state = trace.state;
  span.name = request().method + " " + std::string(route);
  span.kind = telemetry::SpanKind::server;
  span.start_unix_ns = started_unix_ns_;
  span.end_unix_ns = telemetry::to_unix_ns(std::chrono::system_clock::now());
  span.attributes = {{"http.request.method", request().method},
                     {"http.route", std::string(route)},
                     {"http.response.status_code", std::int64_t{status}}};
  span.status = status >= 500 ? telemetry::SpanStatus::error : telemetry::SpanStatus::unset;
  observers_.spans->submit({std::move(span)});
}

}  // namespace glovebox::server

// One call of the API on its way through: who asks, for what, and how it is answered and counted.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/api/identity.h"
#include "server/api/observers.h"
#include "server/http/exchange.h"
#include "telemetry/trace_context.h"

namespace glovebox::server {

class Call {
 public:
  Call(std::shared_ptr<http::Exchange> exchange, Observers& observers);

  [[nodiscard]] http::Request& request() { return exchange_->request(); }
  [[nodiscard]] http::Exchange& exchange() { return *exchange_; }

  // Counted and traced. The server's own headers (traceparent) are added.
  void respond(http::Response response);
  void start_stream(http::Headers headers);
  void end_stream();

  std::string_view route = "unknown";  // static storage
  Identity identity;
  std::vector<std::string> parameters;  // segments of the path that the route left open
  telemetry::TraceContext trace;        // our span in the caller's trace

 private:
  void count(int status);

  std::shared_ptr<http::Exchange> exchange_;
  Observers& observers_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::uint64_t started_unix_ns_ = 0;
  telemetry::TraceContext caller_;
};

using CallPtr = std::shared_ptr<Call>;

}  // namespace glovebox::server

// Sends spans to a collector, in batches, from a thread of its own.
//
// submit() takes a lock for a moment and never waits for the network. The queue is bounded: spans that find it full are
// dropped and counted, since a collector that is down must not cost a run anything. The thread sends what is there
// every second, or as soon as a batch is full. What a collector may take later (429, 502, 503, 504, no connection) is
// tried again with growing pauses, a bounded number of times; everything else is dropped and counted.
//
// The destructor sends what is queued, for at most `shutdown_timeout`. A collector that holds its answer back for
// longer is left to the thread, which owns all it needs and ends with its request or with the process.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/result.h"
#include "telemetry/otlp_json.h"
#include "telemetry/span.h"

namespace glovebox::telemetry {

struct ExporterOptions {
  // http:// with an IP literal or localhost, and the path: nothing is added to it. No names, no TLS: a collector on the
  // same host does both.
  std::string endpoint = "http://127.0.0.1:4318/v1/traces";
  std::vector<std::pair<std::string, std::string>> headers;
  Resource resource;
  std::size_t max_queue = 2048;
  std::size_t max_batch = 512;
  std::chrono::milliseconds flush_interval{1'000};
  std::chrono::milliseconds request_timeout{10'000};
  unsigned max_attempts = 5;
  std::chrono::milliseconds first_pause{200};  // doubled for every attempt, with jitter
  std::chrono::milliseconds longest_pause{5'000};
  std::chrono::milliseconds shutdown_timeout{2'000};
};

struct ExporterStats {
  std::uint64_t exported = 0;         // spans that a collector took
  std::uint64_t dropped_full = 0;     // spans that found the queue full
  std::uint64_t dropped_failed = 0;   // spans that no attempt could deliver, or that the collector refused
  std::uint64_t failed_requests = 0;  // attempts, also those that were tried again
  std::uint64_t queued = 0;           // spans that wait now
  std::string last_failure;           // of a request; for people
};

class SpanExporter {
 public:
  [[nodiscard]] static base::Result<std::unique_ptr<SpanExporter>> start(ExporterOptions options);
  ~SpanExporter();
  SpanExporter(const SpanExporter&) = delete;
  SpanExporter& operator=(const SpanExporter&) = delete;

  void submit(std::vector<Span> spans);
  // Waits until everything submitted so far was sent or dropped. False: not within the time.
  [[nodiscard]] bool flush(std::chrono::milliseconds deadline);
  [[nodiscard]] ExporterStats stats() const;

 private:
  class State;
  explicit SpanExporter(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace glovebox::telemetry

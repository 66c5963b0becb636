// The exporter against a real HTTP server that plays a collector: one that works, is busy, is slow, or goes away.
#include "telemetry/span_exporter.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "server/http/server.h"

namespace glovebox::telemetry {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

class Collector {
 public:
  // Answers the nth request (from 1); none: 200.
  using Answer = std::function<http::Response(int number)>;
  explicit Collector(Answer answer = {}) : answer_(std::move(answer)) {
    http::ServerOptions options;
    options.listen = {"127.0.0.1:0"};
    options.plan_body = [](const http::Request&) {
      http::BodyPlan plan;
      plan.limit_bytes = 20U << 20U;
      return plan;
    };
    auto server =
        http::Server::start(options, [this](const std::shared_ptr<http::Exchange>& exchange) { take(exchange); });
    EXPECT_TRUE(server.has_value());
    server_ = std::move(*server);
  }

  [[nodiscard]] ExporterOptions options() const {
    ExporterOptions options;
    options.endpoint = "http://" + server_->addresses().front() + "/v1/traces";
    options.flush_interval = 20ms;
    options.first_pause = 5ms;
    options.longest_pause = 20ms;
    return options;
  }
  [[nodiscard]] std::set<std::string> names() const {
    const std::lock_guard lock(mutex_);
    return names_;
  }
  [[nodiscard]] std::vector<std::size_t> batches() const {
    const std::lock_guard lock(mutex_);
    return batches_;
  }
  [[nodiscard]] std::vector<std::string> problems() const {
    const std::lock_guard lock(mutex_);
    return problems_;
  }
  [[nodiscard]] int requests() const { return requests_; }
  // Keeps requests unanswered, and those that are held.
  void hold() { holding_ = true; }

 private:
  void take(const std::shared_ptr<http::Exchange>& exchange) {
    const int number = ++requests_;
    if (holding_) {
      const std::lock_guard lock(mutex_);
      held_.push_back(exchange);
      return;
    }
    http::Response response = answer_ ? answer_(number) : http::Response{};
    if (response.status == 200) {
      const std::lock_guard lock(mutex_);
      check(exchange->request());
    }
    exchange->respond(std::move(response));
  }

  void expect(bool condition, const std::string& problem) {
    if (!condition) {
      problems_.push_back(problem);
    }
  }

  static bool is_hex(const json& value, std::size_t length) {
    return value.is_string() && value.get<std::string>().size() == length &&
           value.get<std::string>().find_first_not_of("0123456789abcdef") == std::string::npos;
  }
  static bool is_digits(const json& value) {
    return value.is_string() && !value.get<std::string>().empty() &&
           value.get<std::string>().find_first_not_of("0123456789") == std::string::npos;
  }

  void check(const http::Request& request) {
    expect(request.method == "POST" && request.target == "/v1/traces", "wrong request: " + request.target);
    expect(request.headers.get("Content-Type") == "application/json", "wrong type");
    const json document = json::parse(request.body, nullptr, false);
    if (document.is_discarded() || document["resourceSpans"].size() != 1) {
      expect(false, "not an export request: " + request.body);
      return;
    }
    const json& spans = document["resourceSpans"][0]["scopeSpans"][0]["spans"];
    batches_.push_back(spans.size());
    for (const json& span : spans) {
      expect(is_hex(span["traceId"], 32) && is_hex(span["spanId"], 16), "ids");
      expect(is_digits(span["startTimeUnixNano"]) && is_digits(span["endTimeUnixNano"]), "times");
      expect(span["kind"].is_number_integer(), "kind");
      expect(names_.insert(span["name"].get<std::string>()).second, "a span came twice");
    }
  }

  Answer answer_;
  mutable std::mutex mutex_;
  std::set<std::string> names_;
  std::vector<std::size_t> batches_;
  std::vector<std::string> problems_;
  std::vector<std::shared_ptr<http::Exchange>> held_;
  std::atomic<int> requests_ = 0;
  std::atomic<bool> holding_ = false;
  std::unique_ptr<http::Server> server_;
};

std::vector<Span> some_spans(int count, const std::string& prefix = "s") {
  std::vector<Span> spans(static_cast<std::size_t>(count));
  for (int index = 0; index < count; ++index) {
    Span& span = spans[static_cast<std::size_t>(index)];
    span.trace_id = random_trace_id();
    span.span_id = random_span_id();
    span.name = prefix + std::to_string(index);
    span.start_unix_ns = 1;
    span.end_unix_ns = 2;
  }
  return spans;
}

http::Response answer(int status, http::Headers headers = {}, std::string body = "{}") {
  http::Response response;
  response.status = status;
  response.headers = std::move(headers);
  response.body = std::move(body);
  return response;
}

std::unique_ptr<SpanExporter> start(ExporterOptions options) {
  auto exporter = SpanExporter::start(std::move(options));
  EXPECT_TRUE(exporter.has_value()) << base::describe(exporter.error());
  return std::move(*exporter);
}

TEST(SpanExporter, SendsEverySpanOnceInBatches) {
  const Collector collector;
  auto options = collector.options();
  options.headers = {{"x-key", "secret"}};
  const auto exporter = start(options);
  exporter->submit(some_spans(1200));
  EXPECT_TRUE(exporter->flush(5s));
  EXPECT_EQ(collector.names().size(), 1200U);
  for (const std::size_t batch : collector.batches()) {
    EXPECT_LE(batch, 512U);
  }
  EXPECT_TRUE(collector.problems().empty()) << collector.problems().front();
  EXPECT_EQ(exporter->stats().exported, 1200U);
  EXPECT_EQ(exporter->stats().queued, 0U);
}

TEST(SpanExporter, SendsByItselfAfterAWhile) {
  const Collector collector;
  const auto exporter = start(collector.options());
  exporter->submit(some_spans(3));
  for (int wait = 0; wait < 500 && collector.names().size() < 3; ++wait) {
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_EQ(collector.names().size(), 3U);
}

TEST(SpanExporter, TriesAgainWhenTheCollectorIsBusy) {
  const Collector collector([](int number) {
    return number == 1 ? answer(503, {{"Retry-After", "0"}}) : answer(number == 2 ? 429 : 200);
  });
  const auto exporter = start(collector.options());
  exporter->submit(some_spans(10));
  EXPECT_TRUE(exporter->flush(5s));
  EXPECT_EQ(collector.requests(), 3);
  EXPECT_EQ(exporter->stats().exported, 10U);
  EXPECT_EQ(exporter->stats().failed_requests, 2U);
}

TEST(SpanExporter, GivesUpAfterItsAttempts) {
  const Collector collector([](int) { return answer(503, {{"Retry-After", "86400"}}); });
  auto options = collector.options();
  options.max_attempts = 3;
  const auto exporter = start(options);
  exporter->submit(some_spans(10));
  EXPECT_TRUE(exporter->flush(5s)) << "a day to wait must not be believed";
  EXPECT_EQ(collector.requests(), 3);
  EXPECT_EQ(exporter->stats().dropped_failed, 10U);
  EXPECT_EQ(exporter->stats().last_failure, "the collector answered 503");
}

TEST(SpanExporter, DoesNotRepeatWhatWasRefused) {
  for (const int status : {400, 401, 404, 413, 500, 301}) {
    const Collector collector([status](int) { return answer(status); });
    const auto exporter = start(collector.options());
    exporter->submit(some_spans(4));
    EXPECT_TRUE(exporter->flush(5s));
    EXPECT_EQ(collector.requests(), 1) << status;
    EXPECT_EQ(exporter->stats().dropped_failed, 4U);
  }
}

TEST(SpanExporter, CountsWhatACollectorTookOnlyInPart) {
  const Collector collector(
      [](int) { return answer(200, {}, R"({"partialSuccess":{"rejectedSpans":"3","errorMessage":"x"}})"); });
  const auto exporter = start(collector.options());
  exporter->submit(some_spans(10));
  EXPECT_TRUE(exporter->flush(5s));
  EXPECT_EQ(exporter->stats().exported, 7U);
  EXPECT_EQ(exporter->stats().dropped_failed, 3U);
}

TEST(SpanExporter, DropsAndCountsWhenItsQueueIsFull) {
  Collector collector;
  collector.hold();
  auto options = collector.options();
  options.max_queue = 100;
  options.max_batch = 10;
  options.shutdown_timeout = 50ms;
  const auto exporter = start(options);
  const auto began = std::chrono::steady_clock::now();
  for (int round = 0; round < 100; ++round) {
    exporter->submit(some_spans(10, "r" + std::to_string(round) + "."));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, 10s) << "submitting waited for the network";
  const ExporterStats stats = exporter->stats();
  EXPECT_LE(stats.queued, 110U);  // and a batch under way
  EXPECT_GE(stats.dropped_full, 890U);
  EXPECT_EQ(stats.dropped_full + stats.queued, 1000U);
}

TEST(SpanExporter, SendsWhatIsQueuedWhenItIsDestroyed) {
  const Collector collector;
  {
    auto options = collector.options();
    options.flush_interval = 60s;
    start(options)->submit(some_spans(700));
  }
  EXPECT_EQ(collector.names().size(), 700U);
}

TEST(SpanExporter, IsGoneInTimeWhenTheCollectorHangs) {
  Collector collector;
  collector.hold();
  auto options = collector.options();
  options.shutdown_timeout = 200ms;
  options.request_timeout = 120s;
  auto exporter = start(options);
  exporter->submit(some_spans(5));
  EXPECT_FALSE(exporter->flush(100ms));
  const auto began = std::chrono::steady_clock::now();
  exporter.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - began, 30s);
}

TEST(SpanExporter, IsGoneInTimeWhenNobodyListens) {
  ExporterOptions options;
  {
    const Collector gone;
    options = gone.options();
  }
  options.first_pause = 60s;
  options.longest_pause = 60s;
  auto exporter = start(options);
  exporter->submit(some_spans(5));
  for (int wait = 0; wait < 500 && exporter->stats().failed_requests == 0; ++wait) {
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_GE(exporter->stats().failed_requests, 1U);
  const auto began = std::chrono::steady_clock::now();
  exporter.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - began, 30s);
}

TEST(SpanExporter, SurvivesAServerThatClosesEveryConnection) {
  const Collector collector([](int number) {
    return number % 2 == 1 ? answer(502, {{"Connection", "close"}}) : answer(200, {{"Connection", "close"}});
  });
  const auto exporter = start(collector.options());
  for (int round = 0; round < 5; ++round) {
    exporter->submit(some_spans(2, "r" + std::to_string(round) + "."));
    EXPECT_TRUE(exporter->flush(5s));
  }
  EXPECT_EQ(exporter->stats().exported, 10U);
}

TEST(SpanExporter, RefusesEndpointsItCannotReach) {
  for (const char* endpoint : {"", "https://127.0.0.1:4318", "http://collector:4318/v1/traces", "127.0.0.1:4318",
                               "http://127.0.0.1:99999/", "http://user@127.0.0.1:4318/", "http://127.0.0.1:4318/#x"}) {
    ExporterOptions options;
    options.endpoint = endpoint;
    EXPECT_FALSE(SpanExporter::start(options).has_value()) << endpoint;
  }
  for (const char* endpoint : {"http://localhost", "http://[::1]", "http://[::1]:4318/x", "http://127.0.0.1?x=1"}) {
    ExporterOptions options;
    options.endpoint = endpoint;
    EXPECT_TRUE(SpanExporter::start(options).has_value()) << endpoint;
  }
}

TEST(SpanExporter, TakesSpansFromManyThreads) {
  const Collector collector;
  auto options = collector.options();
  options.max_queue = 100'000;
  const auto exporter = start(options);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      for (int round = 0; round < 50; ++round) {
        exporter->submit(some_spans(4, std::to_string(thread) + "." + std::to_string(round) + "."));
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_TRUE(exporter->flush(10s));
  EXPECT_EQ(collector.names().size(), 1600U);
  EXPECT_TRUE(collector.problems().empty());
}

}  // namespace
}  // namespace glovebox::telemetry

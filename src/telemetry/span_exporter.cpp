#include "telemetry/span_exporter.h"

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <random>

#include "server/http/client.h"

namespace glovebox::telemetry {
namespace {

using base::ErrorCode;
using base::fail;
using base::Result;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

struct Endpoint {
  std::string address;
  std::string target;
};

Result<Endpoint> parse_endpoint(std::string_view url) {
  constexpr std::string_view kScheme = "http://";
  if (!url.starts_with(kScheme) || url.find('#') != std::string_view::npos) {
    return fail(
        base::make_error(ErrorCode::invalid_request, "not a collector's address: " + std::string(url))
            .with_hint("use http://127.0.0.1:4318/v1/traces; a collector on this host can pass traces on with TLS"));
  }
  url.remove_prefix(kScheme.size());
  const std::size_t path = std::min(url.find_first_of("/?"), url.size());
  Endpoint endpoint{std::string(url.substr(0, path)), std::string(url.substr(path))};
  const std::size_t colon = endpoint.address.rfind(':');
  const bool has_port = colon != std::string::npos && endpoint.address.find(']', colon) == std::string::npos;
  if (!has_port) {
    endpoint.address += ":80";
  }
  if (!endpoint.target.starts_with('/')) {
    endpoint.target.insert(0, "/");
  }
  return endpoint;
}

struct Delivery {
  enum class Fate { taken, later, never } fate = Fate::never;
  std::uint64_t rejected = 0;
  std::string failure;
  bool at_once = false;  // a connection that was idle for too long: nothing is wrong
  std::optional<milliseconds> retry_after;
};

std::optional<milliseconds> parse_retry_after(std::string_view text) {
  unsigned seconds = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), seconds);
  constexpr unsigned kMost = 3600;
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
    return std::nullopt;  // a date: too rare to be worth a parser, and the usual pause will do
  }
  return std::chrono::seconds(std::min(seconds, kMost));
}

Delivery judge(const Result<http::ClientResponse>& response) {
  Delivery delivery;
  if (!response) {
    // A request that cannot be written (a bad header) will not get better.
    delivery.fate = response.error().code == ErrorCode::invalid_request ? Delivery::Fate::never : Delivery::Fate::later;
    delivery.failure = response.error().message;
    delivery.at_once = response.error().stage == "connection_closed";
    return delivery;
  }
  if (response->status >= 200 && response->status <= 299) {
    delivery.fate = Delivery::Fate::taken;
    delivery.rejected = rejected_spans(response->body);
    return delivery;
  }
  delivery.failure = "the collector answered " + std::to_string(response->status);
  for (const int passing : {429, 502, 503, 504}) {
    if (response->status == passing) {
      delivery.fate = Delivery::Fate::later;
      delivery.retry_after = parse_retry_after(response->headers.get("Retry-After"));
    }
  }
  return delivery;
}

}  // namespace

// Shared by the exporter and its thread. Only the thread touches the client.
class SpanExporter::State {
 public:
  State(ExporterOptions options, std::string target, http::Client client)
      : options_(std::move(options)), target_(std::move(target)), client_(std::move(client)) {}

  void submit(std::vector<Span> spans) {
    const std::lock_guard lock(mutex_);
    const std::size_t room = options_.max_queue - std::min(queue_.size(), options_.max_queue);
    const std::size_t taken = stopping_ ? 0 : std::min(room, spans.size());
    std::move(spans.begin(), spans.begin() + static_cast<std::ptrdiff_t>(taken), std::back_inserter(queue_));
    stats_.dropped_full += spans.size() - taken;
    submitted_ += taken;
    if (taken > 0) {
      work_.notify_one();
    }
  }

  [[nodiscard]] bool flush(milliseconds deadline) {
    std::unique_lock lock(mutex_);
    const std::uint64_t goal = submitted_;
    flush_goal_ = std::max(flush_goal_, goal);
    work_.notify_one();
    return settled_changed_.wait_for(lock, deadline, [&] { return settled_ >= goal; });
  }

  // True when the thread has ended.
  [[nodiscard]] bool stop() {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    work_.notify_one();
    const bool ended = settled_changed_.wait_for(lock, options_.shutdown_timeout, [&] { return ended_; });
    abandoned_ = !ended;
    return ended;
  }

  [[nodiscard]] ExporterStats stats() const {
    const std::lock_guard lock(mutex_);
    ExporterStats stats = stats_;
    stats.queued = submitted_ - settled_;
    return stats;
  }

  // The thread.
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      work_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
      const auto is_urgent = [&] { return stopping_ || queue_.size() >= options_.max_batch || settled_ < flush_goal_; };
      (void)work_.wait_for(lock, options_.flush_interval, is_urgent);
      if (queue_.empty() || abandoned_) {
        break;  // nothing is left and nothing will come: an empty queue ends the first wait only when stopping
      }
      const std::vector<Span> batch = take_batch();
      lock.unlock();
      const std::uint64_t exported = deliver(batch);
      lock.lock();
      stats_.exported += exported;
      stats_.dropped_failed += batch.size() - exported;
      settled_ += batch.size();
      settled_changed_.notify_all();
    }
    ended_ = true;
    settled_changed_.notify_all();
  }

 private:
  std::vector<Span> take_batch() {
    const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(std::min(queue_.size(), options_.max_batch));
    std::vector<Span> batch(std::make_move_iterator(queue_.begin()), std::make_move_iterator(end));
    queue_.erase(queue_.begin(), end);
    return batch;
  }

  // How many spans the collector took.
  std::uint64_t deliver(const std::vector<Span>& batch) {
    http::ClientRequest request;
    request.method = "POST";
    request.target = target_;
    request.headers = {{"Content-Type", "application/json"}, {"User-Agent", "glovebox-otlp"}};
    for (const auto& [name, value] : options_.headers) {
      request.headers.set(name, value);
    }
    request.body = encode_traces(options_.resource, batch);
    milliseconds pause = options_.first_pause;
    for (unsigned attempt = 1;; ++attempt) {
      const Delivery delivery = judge(client_.send(request));
      if (delivery.fate == Delivery::Fate::taken) {
        return batch.size() - std::min<std::uint64_t>(delivery.rejected, batch.size());
      }
      note_failure(delivery.failure);
      if (delivery.fate == Delivery::Fate::never || attempt >= options_.max_attempts) {
        return 0;
      }
      const milliseconds wanted =
          delivery.at_once && attempt == 1 ? milliseconds(0) : delivery.retry_after.value_or(jittered(pause));
      if (!wait_before_retry(std::min(wanted, options_.longest_pause))) {
        return 0;
      }
      pause = std::min(pause * 2, options_.longest_pause);
    }
  }

  void note_failure(const std::string& failure) {
    const std::lock_guard lock(mutex_);
    ++stats_.failed_requests;
    stats_.last_failure = failure;
  }

  // False: the exporter is being destroyed. Whoever waits for that should not wait for a collector that is down, so the
  // pause ends at once; one more attempt is allowed, since it may have come back meanwhile.
  bool wait_before_retry(milliseconds pause) {
    std::unique_lock lock(mutex_);
    if (stopping_) {
      return false;
    }
    (void)work_.wait_for(lock, pause, [&] { return stopping_; });
    return true;
  }

  milliseconds jittered(milliseconds pause) {
    std::uniform_real_distribution<double> share(0.5, 1.0);
    return milliseconds(static_cast<milliseconds::rep>(static_cast<double>(pause.count()) * share(random_)));
  }

  const ExporterOptions options_;
  const std::string target_;
  http::Client client_;
  std::minstd_rand random_{random_span_id().bytes[0] * 256U + random_span_id().bytes[1] + 1U};

  mutable std::mutex mutex_;
  std::condition_variable work_;             // for the thread
  std::condition_variable settled_changed_;  // for those who wait for it
  std::deque<Span> queue_;
  std::uint64_t submitted_ = 0;   // spans that entered the queue
  std::uint64_t settled_ = 0;     // of these, sent or given up
  std::uint64_t flush_goal_ = 0;  // somebody waits until settled_ is this
  bool stopping_ = false;
  bool abandoned_ = false;
  bool ended_ = false;
  ExporterStats stats_;
};

Result<std::unique_ptr<SpanExporter>> SpanExporter::start(ExporterOptions options) {
  Endpoint endpoint = TRY(parse_endpoint(options.endpoint));
  http::ClientOptions client_options;
  client_options.connect_timeout = std::min(options.request_timeout, milliseconds(2'000));
  client_options.io_timeout = options.request_timeout;
  client_options.max_head_bytes = 16U << 10U;
  client_options.max_body_bytes = 64U << 10U;
  http::Client client = TRY(http::Client::to(endpoint.address, client_options));
  auto state = std::make_shared<State>(std::move(options), std::move(endpoint.target), std::move(client));
  return std::unique_ptr<SpanExporter>(new SpanExporter(std::move(state)));
}

SpanExporter::SpanExporter(std::shared_ptr<State> state)
    : state_(std::move(state)), thread_([kept = state_] { kept->run(); }) {}

SpanExporter::~SpanExporter() {
  if (state_->stop()) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

void SpanExporter::submit(std::vector<Span> spans) { state_->submit(std::move(spans)); }
bool SpanExporter::flush(milliseconds deadline) { return state_->flush(deadline); }
ExporterStats SpanExporter::stats() const { return state_->stats(); }

}  // namespace glovebox::telemetry

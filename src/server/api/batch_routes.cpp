// POST /v1/batches: many runs in one call, in order, with progress (C7).
//
// A batch has no thread of its own. So many of its runs as its concurrency allows are in the dispatcher's line at a
// time; each one that ends sends the next, so that other tenants, and other calls of this one, get their turns in
// between.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "contract/json_writer.h"
#include "contract/run_result_codec.h"
#include "server/api/answers.h"
#include "server/api/api.h"
#include "server/api/bodies.h"
#include "server/api/names.h"
#include "server/http/sse.h"

namespace glovebox::server {
namespace {

using base::Result;
using contract::RunResult;

// Of all results of a batch that is answered in one piece. Over it, output is left out and marked as truncated.
constexpr std::size_t kMostAnswerBytes = 256U << 20U;

std::string new_batch_id() { return "batch_" + runner::new_run_id().substr(4); }

RunResult left_out() {
  return not_started(base::make_error(base::ErrorCode::cancelled, "an earlier run of the batch failed"),
                     runner::new_run_id());
}

}  // namespace

class Batch : public std::enable_shared_from_this<Batch> {
 public:
  Batch(Api& api, CallPtr call, BatchRequest request)
      : api_(api),
        call_(std::move(call)),
        request_(std::move(request)),
        streams_(wants_events(call_->request().headers)),
        id_(new_batch_id()),
        results_(streams_ ? 0 : request_.runs.size()) {}

  void start() {
    const std::string& tenant = call_->identity.tenant;
    most_running_ = api_.ledger().governor().concurrency_of(tenant, runner::unix_ms());
    std::uint64_t window = request_.concurrency != 0 ? request_.concurrency : api_.dispatcher_.load().workers;
    window = most_running_ != 0 ? std::min(window, most_running_) : window;
    call_->exchange().on_disconnect([batch = weak_from_this()] {
      if (const auto alive = batch.lock()) {
        alive->give_up();
      }
    });
    if (streams_) {
      call_->start_stream({});
      send("progress", progress());
    }
    for (std::uint64_t index = 0; index < window; ++index) {
      send_next();
    }
  }

 private:
  // One more into the line, or nothing when all are.
  void send_next() {
    std::size_t index = 0;
    {
      const std::lock_guard lock(mutex_);
      if (next_ == request_.runs.size()) {
        return;
      }
      index = next_++;
    }
    if (stopped()) {
      return ended(index, left_out());
    }
    auto queued = api_.dispatcher_.submit(
        call_->identity.tenant, most_running_, api_.runner_.flight_of(request_.runs[index], caller()),
        [batch = shared_from_this(), index](const runner::Waited& waited) { batch->run(index, waited); });
    if (!queued) {
      ended(index, not_started(queued.error(), runner::new_run_id()));
    }
  }

  void run(std::size_t index, const runner::Waited& waited) {
    if (waited.refusal || stopped()) {
      return ended(index, waited.refusal ? not_started(*waited.refusal, runner::new_run_id()) : left_out());
    }
    runner::RunOptions options;
    options.run_id = runner::new_run_id();
    options.caller = caller();
    options.queue_ms = waited.queue_ms;
    const LiveRuns::Request request(shared_from_this(), &request_.runs[index]);
    const LiveRuns::Token token = api_.live_.add(options.run_id, options.caller, request, runner::unix_ms());
    options.cancel = token.get();
    {
      const std::lock_guard lock(mutex_);
      running_[index] = token;
    }
    const std::string run_id = options.run_id;
    RunResult result = api_.run(*call_, request_.runs[index], std::move(options));
    api_.live_.remove(run_id);
    {
      const std::lock_guard lock(mutex_);
      running_.erase(index);
    }
    ended(index, std::move(result));
  }

  void ended(std::size_t index, RunResult result) {
    bool last = false;
    std::string item;
    std::string told;
    if (streams_) {
      item = fmt::format(R"({{"index":{},"result":{}}})", index, contract::to_json(result));
    }
    std::unique_lock in_order(send_mutex_);  // or progress could go backwards
    {
      const std::lock_guard lock(mutex_);
      ++done_;
      result.success ? ++ok_ : ++failed_;
      failed_once_ = failed_once_ || !result.success;
      last = done_ == request_.runs.size();
      if (!streams_) {
        keep(index, std::move(result));
      }
      told = progress_locked();
    }
    if (streams_) {
      send("result", std::move(item));
      send("progress", std::move(told));
    }
    in_order.unlock();
    last ? finish() : send_next();
  }

  void keep(std::size_t index, RunResult result) {
    result.artifacts.shrink_to_fit();
    for (contract::Artifact& artifact : result.artifacts) {
      artifact.content = {};  // in the record
    }
    kept_bytes_ += result.standard_output.size() + result.standard_error.size();
    if (kept_bytes_ > kMostAnswerBytes) {
      result.stdout_truncated = result.stdout_truncated || !result.standard_output.empty();
      result.stderr_truncated = result.stderr_truncated || !result.standard_error.empty();
      result.standard_output = {};
      result.standard_error = {};
    }
    results_[index] = std::move(result);
  }

  void finish() {
    if (streams_) {
      send("done", fmt::format(R"({{"batch_id":"{}","total":{},"ok":{},"failed":{}}})", id_, done_, ok_, failed_));
      return call_->end_stream();
    }
    std::string body = fmt::format(R"({{"batch_id":"{}","results":[)", id_);
    for (std::size_t index = 0; index < results_.size(); ++index) {
      body += (index == 0 ? "" : ",") + contract::to_json(results_[index]);
    }
    body += fmt::format(R"(],"ok":{},"failed":{}}})", ok_, failed_);
    call_->respond(json_answer(200, std::move(body)));
  }

  // The client is gone.
  void give_up() {
    const std::lock_guard lock(mutex_);
    given_up_ = true;
    for (const auto& [index, token] : running_) {
      token->cancel();
    }
  }

  [[nodiscard]] bool stopped() {
    const std::lock_guard lock(mutex_);
    return given_up_ || (request_.stop_on_failure && failed_once_);
  }

  [[nodiscard]] std::string progress() {
    const std::lock_guard lock(mutex_);
    return progress_locked();
  }
  [[nodiscard]] std::string progress_locked() const {
    return fmt::format(R"({{"done":{},"total":{},"ok":{},"failed":{}}})", done_, request_.runs.size(), ok_, failed_);
  }

  void send(std::string event, std::string data) {
    if (!call_->exchange().write(http::format_event({std::move(event), std::move(data), ""}))) {
      give_up();
    }
  }

  [[nodiscard]] runner::Caller caller() const { return api_.caller_of(*call_, request_.task); }

  Api& api_;
  CallPtr call_;
  const BatchRequest request_;
  const bool streams_;
  const std::string id_;
  std::uint64_t most_running_ = 0;

  std::mutex send_mutex_;  // taken before mutex_
  std::mutex mutex_;       // for all below
  std::size_t next_ = 0;
  std::size_t done_ = 0;
  std::size_t ok_ = 0;
  std::size_t failed_ = 0;
  bool failed_once_ = false;
  bool given_up_ = false;
  std::map<std::size_t, LiveRuns::Token> running_;
  std::vector<RunResult> results_;
  std::size_t kept_bytes_ = 0;
};

void Api::create_batch(const CallPtr& call) {
  if (auto refused = refuse_other_than_json(call->request()); refused) {
    return call->respond(std::move(*refused));
  }
  chore(call, [this, call] {
    auto request = parse_batch(call->request().body);
    call->request().body = {};
    if (!request) {
      return call->respond(problem(request.error()));
    }
    std::make_shared<Batch>(*this, call, std::move(*request))->start();
  });
}

}  // namespace glovebox::server

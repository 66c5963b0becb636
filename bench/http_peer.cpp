#include "bench/http_peer.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "bench/library_peer.h"
#include "contract/run_request_codec.h"
#include "contract/run_result_codec.h"
#include "server/http/client.h"

namespace glovebox::bench {
namespace {

constexpr unsigned kConnections = 32;
constexpr std::chrono::seconds kServicePatience(30);
constexpr std::chrono::seconds kServiceSettlePatience(5);
constexpr std::chrono::milliseconds kServicePoll(1);

// Connections stay open between runs; each is used by one run at a time.
class Connections {
 public:
  explicit Connections(std::string address) : address_(std::move(address)) {}

  [[nodiscard]] base::Result<http::Client> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) {
      return http::Client::to(address_);
    }
    http::Client client = std::move(idle_.back());
    idle_.pop_back();
    return client;
  }
  void give_back(http::Client client) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(client));
  }

 private:
  std::string address_;
  std::mutex mutex_;
  std::vector<http::Client> idle_;
};

class HttpRun : public PlannedRun {
 public:
  HttpRun(Connections& connections, http::Client client, const Workload& workload, const std::string& body)
      : connections_(connections), client_(std::move(client)), workload_(workload) {
    request_.method = "POST";
    request_.target = "/v1/runs";
    request_.headers = {{"Content-Type", "application/json"}};
    request_.body = body;
  }
  ~HttpRun() override { connections_.give_back(std::move(client_)); }

  void execute() override { response_ = client_.send(request_); }

  [[nodiscard]] Verdict verdict() override {
    Verdict verdict;
    if (!response_) {
      verdict.problem = response_.error().message;
      return verdict;
    }
    const auto result = contract::parse_run_result(response_->body);
    if (response_->status != 200 || !result) {
      verdict.problem = std::to_string(response_->status) + " " + response_->body.substr(0, 200);
      return verdict;
    }
    verdict.warm = result->provenance.warm;
    verdict.stages = result->metrics.stages;
    verdict.stages["queue"] = result->metrics.queue_ms;
    verdict.problem = result->success ? wrong_answer(workload_, result->standard_output, {})
                                      : std::string(contract::to_string(result->outcome));
    return verdict;
  }

 private:
  Connections& connections_;
  http::Client client_;
  const Workload& workload_;
  http::ClientRequest request_;
  base::Result<http::ClientResponse> response_ = base::fail(base::ErrorCode::internal_error, "not executed");
};

class HttpPeer : public Peer {
 public:
  HttpPeer(std::string id, std::string title, server::Service& service)
      : Peer(std::move(id), std::move(title)), service_(service), connections_(service.addresses().front()) {}

  [[nodiscard]] std::string cannot_run(const Workload& workload) const override {
    if (!workload.expected_artifacts.empty()) {
      return "artifacts are fetched by calls of their own";
    }
    const auto request = request_for(workload);
    return request ? "" : request.error().message;
  }

  [[nodiscard]] base::Result<std::unique_ptr<PlannedRun>> plan(const Workload& workload) override {
    const std::string* body = nullptr;
    {
      const std::lock_guard lock(mutex_);
      std::string& known = bodies_[workload.id];
      if (known.empty()) {
        known = contract::to_json(TRY(request_for(workload)));
      }
      body = &known;
    }
    auto client = TRY(connections_.take());
    return std::unique_ptr<PlannedRun>(new HttpRun(connections_, std::move(client), workload, *body));
  }

  [[nodiscard]] base::Status make_ready(const Workload& workload, std::uint32_t cells) override {
    const auto request = TRY(request_for(workload));
    return service_.runner().prepare(request, cells, kServicePatience);
  }

  void settle() override {
    const auto deadline = std::chrono::steady_clock::now() + kServiceSettlePatience;
    const auto full = [this] {
      const engine::PoolMetrics metrics = service_.runner().pool_metrics();
      return std::all_of(metrics.kinds.begin(), metrics.kinds.end(),
                         [](const auto& kind) { return kind.second.idle >= kind.second.target; });
    };
    while (!full() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(kServicePoll);
    }
  }

  [[nodiscard]] std::optional<engine::PoolMetrics> pool() const override { return service_.runner().pool_metrics(); }
  [[nodiscard]] unsigned load_workers(unsigned /*processors*/) const override { return kConnections; }

 private:
  server::Service& service_;
  Connections connections_;
  std::mutex mutex_;
  std::map<std::string, std::string> bodies_;
};

}  // namespace

std::unique_ptr<Peer> http_peer(std::string id, std::string title, server::Service& service) {
  return std::make_unique<HttpPeer>(std::move(id), std::move(title), service);
}

}  // namespace glovebox::bench

#include "bench/library_peer.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

namespace glovebox::bench {
namespace {

constexpr std::chrono::seconds kPatience(30);
constexpr std::chrono::seconds kSettlePatience(
    5);  // a pool that cannot get its cells is told by the share of warm runs
constexpr std::chrono::milliseconds kPoll(1);

class LibraryRun : public PlannedRun {
 public:
  LibraryRun(runner::Runner& runner, const Workload& workload, std::shared_ptr<const contract::RunRequest> request)
      : runner_(runner), workload_(workload), request_(std::move(request)) {}

  void execute() override { result_ = runner_.run(*request_); }

  [[nodiscard]] Verdict verdict() override {
    Verdict verdict;
    verdict.warm = result_.provenance.warm;
    verdict.stages = result_.metrics.stages;
    if (!result_.success) {
      verdict.problem = std::string(contract::to_string(result_.outcome));
      if (result_.error) {
        verdict.problem += ": " + result_.error->message;
      }
      return verdict;
    }
    NamedBytes artifacts;
    for (contract::Artifact& artifact : result_.artifacts) {
      artifacts[artifact.path] = std::move(artifact.content);
    }
    verdict.problem = wrong_answer(workload_, result_.standard_output, artifacts);
    return verdict;
  }

 private:
  runner::Runner& runner_;
  const Workload& workload_;
  std::shared_ptr<const contract::RunRequest> request_;
  contract::RunResult result_;
};

class LibraryPeer : public Peer {
 public:
  LibraryPeer(std::string id, std::string title, runner::Runner& runner, Cells cells)
      : Peer(std::move(id), std::move(title)), runner_(runner), cells_(cells) {}

  [[nodiscard]] std::string cannot_run(const Workload& workload) const override {
    const auto request = request_for(workload);
    if (!request) {
      return request.error().message;
    }
    const auto plan = runner_.explain(*request);
    return plan ? "" : plan.error().message;
  }

  [[nodiscard]] base::Result<std::unique_ptr<PlannedRun>> plan(const Workload& workload) override {
    auto request = TRY(shared_request(workload));
    return std::unique_ptr<PlannedRun>(new LibraryRun(runner_, workload, std::move(request)));
  }

  [[nodiscard]] base::Status make_ready(const Workload& workload, std::uint32_t count) override {
    if (cells_ == Cells::cold) {
      return {};
    }
    const auto request = TRY(shared_request(workload));
    return runner_.prepare(*request, count, kPatience);
  }

  void settle() override {
    if (cells_ == Cells::cold) {
      return;
    }
    const auto deadline = std::chrono::steady_clock::now() + kSettlePatience;
    const auto full = [this] {
      const engine::PoolMetrics metrics = runner_.pool_metrics();
      return std::all_of(metrics.kinds.begin(), metrics.kinds.end(),
                         [](const auto& kind) { return kind.second.idle >= kind.second.target; });
    };
    while (!full() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(kPoll);
    }
  }

  [[nodiscard]] std::optional<engine::PoolMetrics> pool() const override {
    return cells_ == Cells::warm ? std::optional(runner_.pool_metrics()) : std::nullopt;
  }

 private:
  // One per workload: copying ten megabytes per run would be CPU time of the benchmark's own.
  [[nodiscard]] base::Result<std::shared_ptr<const contract::RunRequest>> shared_request(const Workload& workload) {
    const std::lock_guard lock(mutex_);
    auto& request = requests_[workload.id];
    if (request == nullptr) {
      request = std::make_shared<const contract::RunRequest>(TRY(request_for(workload)));
    }
    return request;
  }

  runner::Runner& runner_;
  Cells cells_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const contract::RunRequest>> requests_;
};

class MissingPeer : public Peer {
 public:
  MissingPeer(std::string id, std::string title, std::string reason)
      : Peer(std::move(id), std::move(title)), reason_(std::move(reason)) {}
  [[nodiscard]] std::string missing() const override { return reason_; }
  [[nodiscard]] std::string cannot_run(const Workload&) const override { return reason_; }
  [[nodiscard]] base::Result<std::unique_ptr<PlannedRun>> plan(const Workload&) override {
    return base::fail(base::ErrorCode::host_unsupported, reason_);
  }

 private:
  std::string reason_;
};

}  // namespace

base::Result<contract::RunRequest> request_for(const Workload& workload) {
  contract::RunRequest request;
  request.language = workload.language;
  request.code = workload.code;
  request.cache = contract::CacheMode::off;
  for (const auto& [name, bytes] : workload.files) {
    base::RelPath path = TRY(base::RelPath::parse(name));
    request.files.push_back({std::move(path), bytes});
  }
  if (!workload.expected_artifacts.empty()) {
    request.artifacts = {"*.txt"};
    request.limits.artifact_count = workload.expected_artifacts.size();
  }
  return request;
}

std::unique_ptr<Peer> library_peer(std::string id, std::string title, runner::Runner& runner, Cells cells) {
  return std::make_unique<LibraryPeer>(std::move(id), std::move(title), runner, cells);
}

std::unique_ptr<Peer> missing_peer(std::string id, std::string title, std::string reason) {
  return std::make_unique<MissingPeer>(std::move(id), std::move(title), std::move(reason));
}

}  // namespace glovebox::bench

#include "server/api/service.h"

#include <sys/stat.h>

#include <charconv>
#include <chrono>
#include <utility>

#include "mcp/sandbox_server.h"
#include "server/api/answers.h"

namespace glovebox::server {
namespace {

using base::Result;

constexpr const char* kDefaultListen = "127.0.0.1:7070";
constexpr auto kHousekeepingPause = std::chrono::minutes(10);
constexpr auto kKillPatience = std::chrono::seconds(10);
constexpr auto kAnswerPatience = std::chrono::seconds(2);
// An artifact's path has up to 4096 bytes, and each may take three in a target.
constexpr std::size_t kMaxTargetBytes = 14U << 10U;
constexpr std::size_t kMaxHeadBytes = 24U << 10U;
constexpr auto kDay = std::chrono::hours(24);

// One of the words that the setting allows; in doubt nobody else.
mode_t mode_of(std::string_view word) {
  constexpr int kOctal = 8;
  unsigned mode = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), mode, kOctal);
  return error == std::errc() && end == word.data() + word.size() ? mode : S_IRUSR | S_IWUSR;
}

}  // namespace

std::string control_socket(const std::string& data_directory) { return data_directory + "/glovebox.sock"; }

Result<std::unique_ptr<Service>> Service::start(ServiceOptions options) {
  std::unique_ptr<Service> service(new Service(std::move(options)));
  const ServiceOptions& given = service->options_;
  service->observers_ = TRY(Observers::create(given.settings.serve, given.version));

  runner::RunnerOptions runner_options = given.runner;
  runner_options.blob_directory = given.data_directory + "/blobs";
  runner_options.ledger = runner::LedgerOptions{given.data_directory, runner::LedgerUse::serve, given.settings};
  service->runner_ = TRY(runner::Runner::create(std::move(runner_options)));
  // Fail closed: a service that could run nothing, or could not hold a limit, does not start.
  TRY_STATUS(service->runner_->try_cell());
  TRY_STATUS(service->runner_->policies().check_all());
  service->api_ = std::make_unique<Api>(*service->runner_, *service->observers_);
  mcp::SandboxServerOptions mcp_options;
  mcp_options.version = given.version;
  mcp_options.workspace_directory = given.data_directory + "/workspaces";
  mcp_options.workspaces = given.settings.workspaces;
  mcp_options.conformance = given.mcp_conformance;
  service->api_->offer_mcp(TRY(mcp::SandboxServer::create(*service->runner_, std::move(mcp_options))));

  http::ServerOptions http_options;
  http_options.listen = given.settings.serve.listen;
  if (http_options.listen.empty()) {
    http_options.listen = {kDefaultListen};
  }
  http_options.owner_socket = control_socket(given.data_directory);
  http_options.unix_socket_mode = mode_of(given.settings.serve.socket_mode);
  http_options.io_threads = given.settings.serve.io_threads;
  http_options.allowed_hosts = given.settings.serve.allowed_hosts;
  http_options.limits.target_bytes = kMaxTargetBytes;
  http_options.limits.head_bytes = kMaxHeadBytes;
  http_options.limits.connections = given.settings.serve.connections;
  http_options.limits.all_bodies_bytes = given.settings.serve.all_bodies_bytes;
  Api& api = *service->api_;
  http_options.plan_body = [&api](const http::Request& head) { return api.plan_body(head); };
  http_options.describe_error = [](const base::Error& error) { return problem(error); };
  service->http_ = TRY(http::Server::start(
      std::move(http_options), [&api](std::shared_ptr<http::Exchange> exchange) { api.handle(std::move(exchange)); }));
  api.watch(*service->http_);
  service->housekeeper_ = std::thread([raw = service.get()] { raw->housekeeping(); });
  return service;
}

void Service::housekeeping() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    lock.unlock();
    const auto removed = runner_->ledger()->apply_retention();
    if (!removed) {
      log().log(telemetry::LogLevel::error, "old records could not be removed", {{"error", removed.error().message}});
    } else if (removed->runs != 0) {
      log().log(telemetry::LogLevel::info, "old records removed",
                {{"runs", removed->runs}, {"bytes", removed->stored_bytes}});
    }
    if (const std::uint64_t days = options_.settings.records.blob_days; days != 0) {
      const auto then = std::chrono::system_clock::now() - kDay * static_cast<int>(days);
      if (const auto gone = runner_->remove_blobs_older_than(then); !gone) {
        log().log(telemetry::LogLevel::error, "old blobs could not be removed", {{"error", gone.error().message}});
      }
    }
    lock.lock();
    ending_.wait_for(lock, kHousekeepingPause, [this] { return ends_; });
  }
}

bool Service::drain() {
  const auto patience = std::chrono::seconds(options_.settings.serve.drain_s);
  http_->stop_accepting();
  const bool finished = api_->drain(patience);
  if (!finished) {
    api_->cancel_all();
    (void)api_->drain(kKillPatience);
  }
  (void)http_->drain(kAnswerPatience);
  return finished;
}

Service::~Service() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  ending_.notify_all();
  if (housekeeper_.joinable()) {
    housekeeper_.join();
  }
  // Connections first: their calls refer to the API, and its workers to the runner.
  if (api_) {
    api_->cancel_all();
  }
  http_.reset();
  api_.reset();
}

}  // namespace glovebox::server

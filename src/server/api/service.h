// The whole service: the runner with its ledger, the API, the HTTP server, and what happens beside them.
//
//   auto service = Service::start(options);
//   … until a signal …
//   service->drain();
//
// Beside the API, the service listens on a socket in its data directory, for the commands of the same user.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "runner/config.h"
#include "runner/runner.h"
#include "server/api/api.h"
#include "server/api/observers.h"
#include "server/http/server.h"

namespace glovebox::server {

struct ServiceOptions {
  runner::RunnerOptions runner;
  runner::ServiceSettings settings;
  std::string data_directory;
  std::string version;
  bool mcp_conformance = false;  // /mcp offers the fixtures of the protocol's own test suite too
};

// Where the commands of the same user reach a service on this directory.
[[nodiscard]] std::string control_socket(const std::string& data_directory);

class Service {
 public:
  [[nodiscard]] static base::Result<std::unique_ptr<Service>> start(ServiceOptions options);
  ~Service();

  [[nodiscard]] const std::vector<std::string>& addresses() const { return http_->addresses(); }
  [[nodiscard]] telemetry::Logger& log() { return observers_->log; }
  [[nodiscard]] runner::Runner& runner() { return *runner_; }

  // Takes nothing new, lets what runs finish, kills what does not in time. True: nothing had to be killed.
  bool drain();

 private:
  explicit Service(ServiceOptions options) : options_(std::move(options)) {}
  void housekeeping();

  ServiceOptions options_;
  std::unique_ptr<Observers> observers_;
  std::unique_ptr<runner::Runner> runner_;
  std::unique_ptr<Api> api_;
  std::unique_ptr<http::Server> http_;

  std::mutex mutex_;
  std::condition_variable ending_;
  bool ends_ = false;
  std::thread housekeeper_;
};

}  // namespace glovebox::server

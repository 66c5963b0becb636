// The service, as one MCP request sees it.
#pragma once

#include <string>

#include "mcp/host.h"
#include "server/api/api.h"

namespace glovebox::server {

class HttpHost final : public mcp::Host {
 public:
  HttpHost(Api& api, CallPtr call, std::string task);

  [[nodiscard]] const runner::Caller& caller() const override { return caller_; }
  // The answer comes with the key of the question.
  [[nodiscard]] bool may_approve() const override;
  [[nodiscard]] bool may_read() const override { return call_->identity.may("read"); }
  [[nodiscard]] base::Status line_up(std::string flight, runner::Dispatcher::Job job) override;
  [[nodiscard]] base::Status chore(runner::Dispatcher::Job job) override;
  [[nodiscard]] contract::RunResult run(const contract::RunRequest& request, runner::RunOptions options,
                                        const Execute& execute) override;

 private:
  Api& api_;
  const CallPtr call_;
  const runner::Caller caller_;
};

}  // namespace glovebox::server

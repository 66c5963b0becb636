// A client in memory for tests: what reaches it is kept.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "mcp/server.h"

namespace glovebox::mcp {

class FakeChannel final : public Channel {
 public:
  [[nodiscard]] bool can_send() const override { return streams; }
  void send(std::string message) override { sent.push_back(std::move(message)); }
  void answer(Answer answer) override { answers.push_back(std::move(answer)); }
  void leave_unanswered() override { ++unanswered; }

  bool streams = true;
  std::vector<std::string> sent;
  std::vector<Answer> answers;
  int unanswered = 0;
};

// Does everything at once, on the thread that asks for it.
class FakeHost final : public Host {
 public:
  [[nodiscard]] const runner::Caller& caller() const override { return caller_; }
  [[nodiscard]] bool may_approve() const override { return approves; }
  [[nodiscard]] bool may_read() const override { return true; }
  [[nodiscard]] base::Status line_up(std::string /*flight*/, runner::Dispatcher::Job job) override {
    job({});
    return {};
  }
  [[nodiscard]] base::Status chore(runner::Dispatcher::Job job) override {
    job({});
    return {};
  }
  [[nodiscard]] contract::RunResult run(const contract::RunRequest& /*request*/, runner::RunOptions options,
                                        const Execute& execute) override {
    options.run_id = runner::new_run_id();
    return execute(options);
  }

  bool approves = true;

 private:
  const runner::Caller caller_{};
};

// One connection to a server.
struct FakeClient {
  explicit FakeClient(Server& of_server) : server(of_server) {}

  // The answer to a request; empty if there is none yet.
  std::string ask(std::string_view text) {
    auto message = parse_message(text);
    if (!message) {
      return Server::refusal(message.error()).message;
    }
    channel = std::make_shared<FakeChannel>();
    Origin origin;
    origin.session = session;
    origin.channel = channel;
    origin.host = host;
    origin.cancel = token = std::make_shared<const engine::CancelToken>();
    server.receive(std::move(*message), std::move(origin));
    return channel->answers.empty() ? "" : channel->answers.front().message;
  }
  void initialize(std::string_view revision = "2025-11-25", std::string_view capabilities = "{}") {
    ask(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")" + std::string(revision) +
        R"(","capabilities":)" + std::string(capabilities) + R"(,"clientInfo":{"name":"test","version":"1"}}})");
  }

  Server& server;
  SessionPtr session = std::make_shared<Session>();
  std::shared_ptr<FakeHost> host = std::make_shared<FakeHost>();
  std::shared_ptr<FakeChannel> channel;
  Token token;
};

// Members of a stateless request's params.
inline std::string modern_meta(std::string_view capabilities = "{}") {
  return R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
         R"("io.modelcontextprotocol/clientCapabilities":)" +
         std::string(capabilities) + "}";
}

}  // namespace glovebox::mcp

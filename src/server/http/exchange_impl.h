// The server's Exchange: a small state machine under a lock, in front of a connection that belongs to another thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "server/http/exchange.h"

namespace glovebox::http {

class AnswerSocket;
class Connection;
class IoThread;
struct ServerState;

// Bytes of a stream that were handed over and are not yet with the kernel.
struct StreamBudget {
  std::atomic<std::size_t> bytes = 0;
};

class ExchangeImpl final : public Exchange {
 public:
  // The way back to the client.
  struct Line {
    std::shared_ptr<IoThread> io;
    std::weak_ptr<Connection> connection;  // locked on its I/O thread only
    std::shared_ptr<const ServerState> server;
    std::shared_ptr<AnswerSocket> answer_socket;  // null: the connection has to do the sending
  };

  ExchangeImpl(Request request, Line line);
  ~ExchangeImpl() override;

  [[nodiscard]] Request& request() override { return request_; }
  void respond(Response response) override;
  void start_stream(int status, Headers headers) override;
  [[nodiscard]] bool write(std::string bytes) override;
  void end() override;
  void on_disconnect(std::function<void()> action) override;

  // From the connection.
  void client_gone();

 private:
  enum class Phase { open, streaming, answered };

  [[nodiscard]] bool can_be_sent_from_here(const Response& response) const;
  void send_from_here(const Response& response);

  Request request_;
  const Line line_;
  const bool chunked_;
  const bool is_head_;
  const std::shared_ptr<StreamBudget> budget_;

  std::mutex mutex_;  // for all below
  Phase phase_ = Phase::open;
  bool gone_ = false;
  // It may own the last pointer to something, even to this exchange: dropped with the answer, outside the lock.
  std::function<void()> disconnect_action_;
};

}  // namespace glovebox::http

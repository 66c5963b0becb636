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

class Connection;
class IoThread;

// Bytes of a stream that were handed over and are not yet with the kernel.
struct StreamBudget {
  std::atomic<std::size_t> bytes = 0;
};

class ExchangeImpl final : public Exchange {
 public:
  ExchangeImpl(Request request, std::shared_ptr<IoThread> io, std::weak_ptr<Connection> connection,
               std::size_t stream_buffer_bytes);
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

  Request request_;
  const std::shared_ptr<IoThread> io_;
  const std::weak_ptr<Connection> connection_;  // locked on its I/O thread only
  const std::size_t stream_buffer_bytes_;
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

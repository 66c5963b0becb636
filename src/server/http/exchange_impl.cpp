#include "server/http/exchange_impl.h"

#include <utility>

#include "server/http/connection.h"
#include "server/http/io_thread.h"
#include "server/http/problem.h"
#include "server/http/response_head.h"
#include "server/http/server_state.h"

namespace glovebox::http {
namespace {

// Does something with the connection, if it still exists, on the thread that owns it.
template <typename Action>
auto with_connection(const std::weak_ptr<Connection>& weak, Action action) {
  return [weak, action = std::move(action)]() mutable {
    if (const auto connection = weak.lock(); connection != nullptr) {
      action(*connection);
    }
  };
}

}  // namespace

ExchangeImpl::ExchangeImpl(Request request, std::shared_ptr<IoThread> io, std::weak_ptr<Connection> connection,
                           std::size_t stream_buffer_bytes)
    : request_(std::move(request)),
      io_(std::move(io)),
      connection_(std::move(connection)),
      stream_buffer_bytes_(stream_buffer_bytes),
      chunked_(request_.minor_version == 1),
      is_head_(request_.method == "HEAD"),
      budget_(std::make_shared<StreamBudget>()) {}

ExchangeImpl::~ExchangeImpl() {
  // Nobody else has a pointer, so no lock.
  if (phase_ == Phase::open) {
    io_->post(with_connection(connection_, [](Connection& connection) {
      connection.answer(problem(500, "internal_error", "the request was dropped without an answer"));
    }));
  } else if (phase_ == Phase::streaming) {
    io_->post(with_connection(connection_, [](Connection& connection) { connection.close(); }));
  }
}

void ExchangeImpl::respond(Response response) {
  {
    std::function<void()> dropped;
    const std::lock_guard lock(mutex_);
    if (phase_ != Phase::open) {
      return;
    }
    phase_ = Phase::answered;
    dropped.swap(disconnect_action_);
  }
  io_->run(with_connection(connection_, [response = std::move(response)](Connection& connection) mutable {
    connection.answer(std::move(response));
  }));
}

// Streams are posted, never run at once: a write that fails calls the disconnect action, and the caller may hold a lock
// which that action wants.
void ExchangeImpl::start_stream(int status, Headers headers) {
  const std::lock_guard lock(mutex_);
  if (phase_ != Phase::open) {
    return;
  }
  phase_ = Phase::streaming;
  io_->post(
      with_connection(connection_, [status, headers = std::move(headers), budget = budget_](Connection& connection) {
        connection.start_stream(status, headers, budget);
      }));
}

bool ExchangeImpl::write(std::string bytes) {
  const std::lock_guard lock(mutex_);
  if (phase_ != Phase::streaming || gone_) {
    return false;
  }
  if (bytes.empty() || is_head_) {
    return true;
  }
  std::string framed = chunked_ ? format_chunk(bytes) : std::move(bytes);
  if (budget_->bytes.load() + framed.size() > stream_buffer_bytes_) {
    // Told from here: the caller may drop the exchange on the strength of our answer, before the connection is closed.
    gone_ = true;
    io_->post([action = std::exchange(disconnect_action_, nullptr)] {
      if (action) {
        shielded(action);
      }
    });
    io_->post(with_connection(connection_, [](Connection& connection) { connection.close(); }));
    return false;
  }
  budget_->bytes += framed.size();
  io_->post(with_connection(connection_, [framed = std::move(framed)](Connection& connection) mutable {
    connection.write_stream(std::move(framed));
  }));
  return true;
}

void ExchangeImpl::end() {
  std::function<void()> dropped;
  const std::lock_guard lock(mutex_);
  if (phase_ != Phase::streaming) {
    return;
  }
  phase_ = Phase::answered;
  dropped.swap(disconnect_action_);
  io_->post(with_connection(connection_, [](Connection& connection) { connection.end_stream(); }));
}

void ExchangeImpl::on_disconnect(std::function<void()> action) {
  {
    const std::lock_guard lock(mutex_);
    if (phase_ == Phase::answered) {
      return;
    }
    if (!gone_) {
      disconnect_action_ = std::move(action);
      return;
    }
  }
  action();
}

void ExchangeImpl::client_gone() {
  std::function<void()> action;
  {
    const std::lock_guard lock(mutex_);
    if (gone_ || phase_ == Phase::answered) {
      return;
    }
    gone_ = true;
    action = std::exchange(disconnect_action_, nullptr);
  }
  if (action) {
    shielded(action);
  }
}

}  // namespace glovebox::http

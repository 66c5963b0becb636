#include "server/http/exchange_impl.h"

#include <utility>

#include "server/http/answer_socket.h"
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

ExchangeImpl::ExchangeImpl(Request request, Line line)
    : request_(std::move(request)),
      line_(std::move(line)),
      chunked_(request_.minor_version == 1),
      is_head_(request_.method == "HEAD"),
      budget_(std::make_shared<StreamBudget>()) {}

ExchangeImpl::~ExchangeImpl() {
  // Nobody else has a pointer, so no lock.
  if (phase_ == Phase::open) {
    line_.io->post(with_connection(line_.connection, [](Connection& connection) {
      connection.answer(problem(500, "internal_error", "the request was dropped without an answer"));
    }));
  } else if (phase_ == Phase::streaming) {
    line_.io->post(with_connection(line_.connection, [](Connection& connection) { connection.close(); }));
  }
}

// A small whole answer on a connection that goes on. Everything else is the connection's business.
bool ExchangeImpl::can_be_sent_from_here(const Response& response) const {
  constexpr std::size_t kMostBytes = 16U << 10U;
  return line_.answer_socket != nullptr && !line_.io->is_here() && !line_.server->draining && !is_head_ &&
         !response.file.has_value() && response.body.size() <= kMostBytes && response.status != 204 &&
         response.status != 304 && !response.headers.has_token("Connection", "close") &&
         is_sendable(response.status, response.headers);
}

void ExchangeImpl::send_from_here(const Response& response) {
  HeadForm form;
  form.length = response.body.size();
  form.minor_version = request_.minor_version;
  std::string bytes = format_head(response.status, response.headers, form, current_date()).append(response.body);
  const std::size_t sent = line_.answer_socket->send(bytes);
  line_.io->post(with_connection(line_.connection, [bytes = std::move(bytes), sent](Connection& connection) {
    connection.answered(bytes, sent);
  }));
}

void ExchangeImpl::respond(Response response) {
  bool gone = false;
  {
    std::function<void()> dropped;
    const std::lock_guard lock(mutex_);
    if (phase_ != Phase::open) {
      return;
    }
    phase_ = Phase::answered;
    gone = gone_;
    dropped.swap(disconnect_action_);
  }
  if (!gone && can_be_sent_from_here(response)) {
    send_from_here(response);
    return;
  }
  line_.io->run(with_connection(line_.connection, [response = std::move(response)](Connection& connection) mutable {
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
  line_.io->post(with_connection(line_.connection,
                                 [status, headers = std::move(headers), budget = budget_](Connection& connection) {
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
  if (budget_->bytes.load() + framed.size() > line_.server->options.limits.stream_buffer_bytes) {
    // Told from here: the caller may drop the exchange on the strength of our answer, before the connection is closed.
    gone_ = true;
    line_.io->post([action = std::exchange(disconnect_action_, nullptr)] {
      if (action) {
        shielded(action);
      }
    });
    line_.io->post(with_connection(line_.connection, [](Connection& connection) { connection.close(); }));
    return false;
  }
  budget_->bytes += framed.size();
  line_.io->post(with_connection(line_.connection, [framed = std::move(framed)](Connection& connection) mutable {
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
  line_.io->post(with_connection(line_.connection, [](Connection& connection) { connection.end_stream(); }));
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

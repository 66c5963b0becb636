#include "server/http/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <utility>

#include "server/http/address.h"
#include "server/http/host_rules.h"

namespace glovebox::http {
namespace {

constexpr std::size_t kSmallBufferBytes = 8U << 10U;
constexpr std::size_t kBodyBufferBytes = 64U << 10U;
constexpr std::uint64_t kMaxLingeredBytes = 64U << 20U;

HeadLimits head_limits(const ServerLimits& limits) {
  return HeadLimits{limits.head_bytes, limits.header_fields, limits.target_bytes};
}

Response describe(const ServerOptions& options, const base::Error& error) {
  if (options.describe_error) {
    return options.describe_error(error);
  }
  const int status = error.code == base::ErrorCode::input_too_large   ? 413
                     : error.code == base::ErrorCode::invalid_request ? 400
                                                                      : 500;
  return problem(status, base::to_string(error.code), error.message);
}

Response no_room_for_body() {
  Response response =
      problem(503, "overloaded", "the bodies of other requests fill the memory that is set aside for them");
  response.headers.add("Retry-After", "1");
  return response;
}

}  // namespace

Connection::Connection(IoThread& io, std::shared_ptr<ServerState> server, base::Fd socket)
    : io_(io),
      server_(std::move(server)),
      socket_(io.context()),
      peer_(peer_of(socket.get())),
      parser_(head_limits(server_->options.limits)) {
  boost::system::error_code error;
  int family = AF_UNSPEC;
  socklen_t length = sizeof(family);
  ::getsockopt(socket.get(), SOL_SOCKET, SO_DOMAIN, &family, &length);
  socket_.assign(boost::asio::generic::stream_protocol(family, 0), socket.get(), error);
  if (!error) {
    static_cast<void>(socket.release());  // it is the socket's now
    answer_socket_ = std::make_shared<AnswerSocket>(socket_.native_handle());
    socket_.non_blocking(true, error);
  }
}

void Connection::start() {
  deadline_ = Clock::now() + server_->options.limits.head_timeout;
  read_more();
}

void Connection::turn_away() {
  Response response = problem(503, "too_many_connections", "the server has as many connections as it may");
  response.headers.add("Retry-After", "1");
  refuse_with(std::move(response));
}

void Connection::process() {
  if (processing_) {
    return;
  }
  processing_ = true;
  bool go_on = true;
  while (go_on) {
    go_on = (state_ == State::reading_head && read_head()) || (state_ == State::reading_body && read_body());
  }
  processing_ = false;
  read_more();
}

// The steps below return whether there may be more to do with what is buffered.
bool Connection::read_head() {
  constexpr std::string_view kEmptyLine = "\r\n";
  if (!message_started_ && !skipped_line_ && input_.view().starts_with(kEmptyLine)) {
    input_.consume(kEmptyLine.size());
    skipped_line_ = true;
  }
  if (input_.empty()) {
    if (input_closed_) {
      close();
    }
    return false;
  }
  if (!std::exchange(message_started_, true)) {
    deadline_ = Clock::now() + server_->options.limits.head_timeout;
  }
  const auto length = parser_.read_head(input_.view(), request_);
  if (!length.has_value()) {
    refuse(length.error());
    return false;
  }
  if (*length == 0) {
    if (input_closed_) {
      close();
    }
    return false;
  }
  input_.consume(*length);
  return head_complete();
}

bool Connection::head_complete() {
  request_.peer = peer_;
  keep_alive_ = parser_.framing().keep_alive;
  is_head_ = request_.method == "HEAD";
  minor_version_ = request_.minor_version;
  const std::string_view authority = parser_.authority();
  // Browsers, which could be fooled into calling us by another name, always say which.
  const bool nameless = minor_version_ == 0 && authority.empty();
  if (!nameless && !peer_.is_unix_socket && !host_of(authority).has_value()) {
    refuse({400, "invalid_request", "the Host field is malformed"});
    return false;
  }
  if (!nameless && !host_allowed(authority, peer_, server_->options.allowed_hosts)) {
    refuse({421, "misdirected_request", "this server is not known by the name in the Host field"});
    return false;
  }
  if (parser_.framing().has_body()) {
    return plan_body();
  }
  dispatch();
  return true;
}

bool Connection::plan_body() {
  BodyPlan plan;
  if (server_->options.plan_body) {
    plan.refusal = problem(500, "internal_error", "the request could not be looked at");
    shielded([&] { plan = server_->options.plan_body(request_); });
  }
  if (plan.refusal.has_value()) {
    refuse_with(std::move(*plan.refusal));
    return false;
  }
  if (parser_.framing().content_length > plan.limit_bytes) {
    refuse({413, "input_too_large", "the body is larger than " + std::to_string(plan.limit_bytes) + " bytes"});
    return false;
  }
  if (plan.sink == nullptr) {
    if (!server_->bodies->has_room_for(parser_.framing().content_length)) {
      refuse_with(no_room_for_body());
      return false;
    }
    body_share_ = std::make_shared<BodyShare>(server_->bodies);
    request_.body_share = body_share_;
  }
  body_limit_ = plan.limit_bytes;
  request_.sink = std::move(plan.sink);
  body_started_ = Clock::now();
  state_ = State::reading_body;
  if (parser_.framing().expects_continue && input_.empty()) {
    push("HTTP/1.1 100 Continue\r\n\r\n");
    flush();
  }
  return state_ == State::reading_body;
}

bool Connection::read_body() {
  const auto used = parser_.body().read(input_.view(), [this](std::string_view bytes) { return take_body(bytes); });
  if (!used.has_value()) {
    if (body_failure_.has_value()) {
      refuse_with(std::move(*std::exchange(body_failure_, std::nullopt)));
    } else {
      refuse(used.error());
    }
    return false;
  }
  input_.consume(*used);
  if (!parser_.body().complete()) {
    if (input_closed_) {
      close();
    }
    return false;
  }
  if (request_.sink != nullptr) {
    if (const auto finished = request_.sink->finish(); !finished.has_value()) {
      refuse_with(describe(server_->options, finished.error()));
      return false;
    }
  }
  dispatch();
  return true;
}

std::optional<Refusal> Connection::take_body(std::string_view bytes) {
  request_.body_bytes += bytes.size();
  if (request_.body_bytes > body_limit_) {
    return Refusal{413, "input_too_large", "the body is larger than " + std::to_string(body_limit_) + " bytes"};
  }
  if (request_.sink == nullptr) {
    if (!body_share_->grow_to(request_.body_bytes)) {
      body_failure_ = no_room_for_body();
      return Refusal{};
    }
    request_.body.append(bytes);
    return std::nullopt;
  }
  const auto appended = request_.sink->append(bytes);
  if (!appended.has_value()) {
    body_failure_ = describe(server_->options, appended.error());
    return Refusal{};
  }
  return std::nullopt;
}

void Connection::dispatch() {
  state_ = State::answering;
  body_share_.reset();
  ++server_->started;
  ExchangeImpl::Line line{io_.shared_from_this(), weak_from_this(), server_, nullptr};
  if (keep_alive_ && output_.empty()) {
    line.answer_socket = answer_socket_;
  }
  auto exchange = std::make_shared<ExchangeImpl>(std::exchange(request_, {}), std::move(line));
  exchange_ = exchange;
  parser_ = RequestParser(head_limits(server_->options.limits));
  message_started_ = false;
  skipped_line_ = false;
  shielded([&] { server_->handler(std::move(exchange)); });
}

void Connection::refuse(const Refusal& refusal) {
  ++server_->malformed;
  refuse_with(problem(refusal));
}

// Where the message ends is in doubt, or does not matter any more: after this answer the connection closes.
void Connection::refuse_with(Response response) {
  state_ = State::answering;
  keep_alive_ = false;
  body_share_.reset();
  request_ = {};
  answer(std::move(response));
}

void Connection::read_more() {
  if (reading_ || input_closed_ || state_ == State::closed) {
    return;
  }
  std::size_t capacity = kSmallBufferBytes;
  if (state_ == State::reading_head && !input_.empty()) {
    capacity = std::max(capacity, server_->options.limits.head_bytes + 1);
  } else if (state_ == State::reading_body || state_ == State::lingering) {
    capacity = kBodyBufferBytes;
  }
  const std::span<char> room = input_.prepare(capacity);
  if (room.empty()) {
    return;  // requests came ahead; they are looked at after the answer
  }
  reading_ = true;
  socket_.async_read_some(boost::asio::buffer(room.data(), room.size()),
                          [self = shared_from_this()](const boost::system::error_code& error, std::size_t count) {
                            self->on_read(error, count);
                          });
}

void Connection::on_read(const boost::system::error_code& error, std::size_t count) {
  reading_ = false;
  if (state_ == State::closed) {
    return;
  }
  if (error == boost::asio::error::eof) {
    client_stopped_sending();
    return;
  }
  if (error) {
    close();
    return;
  }
  input_.commit(count);
  if (state_ == State::lingering) {
    input_.consume(count);
    lingered_bytes_ += count;
    if (lingered_bytes_ > kMaxLingeredBytes) {
      close();
      return;
    }
  }
  process();
}

void Connection::client_stopped_sending() {
  input_closed_ = true;
  if (state_ == State::lingering) {
    close();
  } else if (state_ == State::answering) {
    if (const auto exchange = exchange_.lock(); exchange != nullptr) {
      exchange->client_gone();
    }
  } else {
    process();
  }
}

void Connection::close_if_idle() {
  if (state_ == State::reading_head && !message_started_ && input_.empty()) {
    close();
  }
}

void Connection::close() {
  if (state_ == State::closed) {
    return;
  }
  const auto self = shared_from_this();  // the thread's list may hold the last pointer
  state_ = State::closed;
  if (answer_socket_ != nullptr) {
    answer_socket_->take_away();
  }
  boost::system::error_code ignored;
  socket_.close(ignored);
  body_share_.reset();
  request_ = {};
  if (const auto exchange = exchange_.lock(); exchange != nullptr) {
    exchange->client_gone();
  }
  server_->connection_closed();
  io_.remove(this);
}

}  // namespace glovebox::http

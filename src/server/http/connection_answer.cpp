// The writing half of Connection, and its time limits.
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <utility>

#include "server/http/connection.h"

namespace glovebox::http {
namespace {

constexpr std::size_t kJoinedBodyBytes = 16U << 10U;  // up to here, copying is cheaper than a second piece
constexpr std::size_t kBytesPerTurn = 1U << 20U;      // then other connections of the thread get theirs
constexpr std::chrono::seconds kLinger{2};
constexpr std::string_view kComment = ": keep-alive\n\n";
constexpr std::string_view kLastChunk = "0\r\n\r\n";

// Returns the number of bytes sent, or -1 with errno.
ssize_t send_pieces(int socket, std::span<const std::string_view> pieces) {
  std::array<iovec, OutputQueue::kPieces> vectors{};
  for (std::size_t index = 0; index < pieces.size(); ++index) {
    vectors[index] = {const_cast<char*>(pieces[index].data()), pieces[index].size()};
  }
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = pieces.size();
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent;
}

}  // namespace

HeadForm Connection::head_form(ResponseBody body, std::uint64_t length) const {
  HeadForm form;
  form.body = body;
  form.length = length;
  form.keep_alive = keep_alive_;
  form.minor_version = minor_version_;
  return form;
}

bool Connection::leaves_out_body(int status) const { return is_head_ || status == 204 || status == 304; }

void Connection::answer(Response response) {
  if (state_ != State::answering) {
    return;
  }
  if (!is_sendable(response.status, response.headers)) {
    response = problem(500, "internal_error", "the answer's head cannot be sent");
  }
  keep_alive_ =
      keep_alive_ && !server_->draining && !input_closed_ && !response.headers.has_token("Connection", "close");
  const std::uint64_t length = response.file.has_value() ? response.file->length : response.body.size();
  const bool no_length = response.status == 204 || response.status == 304;
  std::string head =
      format_head(response.status, response.headers,
                  head_form(no_length ? ResponseBody::none : ResponseBody::sized, length), current_date());
  if (leaves_out_body(response.status)) {
    push(std::move(head));
  } else if (response.file.has_value()) {
    push(std::move(head));
    if (length > 0) {
      output_.push_file(std::move(*response.file));
    }
  } else if (response.body.size() <= kJoinedBodyBytes) {
    push(std::move(head.append(response.body)));
  } else {
    push(std::move(head));
    push(std::move(response.body));
  }
  answer_queued_ = true;
  flush();
}

void Connection::answered(const std::string& bytes, std::size_t sent) {
  if (state_ != State::answering) {
    return;
  }
  if (sent < bytes.size()) {
    push(bytes.substr(sent));
  }
  answer_queued_ = true;
  flush();
}

void Connection::start_stream(int status, const Headers& headers, std::shared_ptr<StreamBudget> budget) {
  if (state_ != State::answering) {
    return;
  }
  if (!is_sendable(status, headers) || status == 204 || status == 304) {
    answer(problem(500, "internal_error", "the answer's head cannot be sent"));
    return;
  }
  keep_alive_ = keep_alive_ && minor_version_ == 1 && !server_->draining && !headers.has_token("Connection", "close");
  budget_ = std::move(budget);
  comments_ = !is_head_ && headers.get("Content-Type").starts_with("text/event-stream");
  const ResponseBody body = minor_version_ == 1 ? ResponseBody::chunked : ResponseBody::to_eof;
  push(format_head(status, headers, head_form(body, 0), current_date()));
  flush();
}

void Connection::write_stream(std::string framed) {
  if (state_ != State::answering || budget_ == nullptr) {
    return;
  }
  output_.push(std::move(framed));  // the exchange has counted it
  flush();
}

void Connection::end_stream() {
  if (state_ != State::answering || budget_ == nullptr) {
    return;
  }
  if (minor_version_ == 1 && !is_head_) {
    push(std::string(kLastChunk));
  }
  answer_queued_ = true;
  flush();
}

void Connection::push(std::string bytes) {
  if (budget_ != nullptr) {
    budget_->bytes += bytes.size();
  }
  output_.push(std::move(bytes));
}

void Connection::flush() {
  if (waiting_to_write_ || state_ == State::closed) {
    return;
  }
  std::size_t sent_this_turn = 0;
  while (!output_.empty()) {
    if (sent_this_turn > kBytesPerTurn) {
      waiting_to_write_ = true;
      write_deadline_ = Clock::now() + server_->options.limits.write_timeout;
      boost::asio::post(io_.context(), [self = shared_from_this()] {
        self->waiting_to_write_ = false;
        self->flush();
      });
      return;
    }
    const auto pieces = output_.pieces();
    if (!pieces.has_value()) {
      close();  // the promised length cannot be kept
      return;
    }
    const ssize_t sent = send_pieces(socket_.native_handle(), *pieces);
    if (sent < 0) {
      if (errno == EAGAIN || errno == EWOULDBLOCK) {
        wait_until_writable();
      } else {
        close();
      }
      return;
    }
    sent_this_turn += static_cast<std::size_t>(sent);
    output_.consume(static_cast<std::size_t>(sent));
    if (budget_ != nullptr) {
      budget_->bytes -= static_cast<std::size_t>(sent);
      last_write_ = Clock::now();
    }
  }
  if (answer_queued_) {
    answer_sent();
  }
}

void Connection::wait_until_writable() {
  waiting_to_write_ = true;
  write_deadline_ = Clock::now() + server_->options.limits.write_timeout;
  socket_.async_wait(boost::asio::socket_base::wait_write,
                     [self = shared_from_this()](const boost::system::error_code& error) {
                       self->waiting_to_write_ = false;
                       if (!error) {
                         self->flush();
                       }
                     });
}

void Connection::answer_sent() {
  answer_queued_ = false;
  budget_ = nullptr;
  comments_ = false;
  exchange_.reset();
  is_head_ = false;
  minor_version_ = 1;
  if (!keep_alive_ || input_closed_ || server_->draining) {
    linger();
    return;
  }
  state_ = State::reading_head;
  deadline_ = Clock::now() + server_->options.limits.idle_timeout;
  // Within process() its loop goes on. Elsewhere the caller may be anybody, so the next request is not begun here.
  if (!processing_ && !input_.empty()) {
    boost::asio::post(io_.context(), [self = shared_from_this()] { self->process(); });
  }
}

void Connection::linger() {
  boost::system::error_code ignored;
  socket_.shutdown(boost::asio::socket_base::shutdown_send, ignored);
  if (input_closed_) {
    close();
    return;
  }
  state_ = State::lingering;
  deadline_ = Clock::now() + kLinger;
  input_.consume(input_.view().size());
  read_more();
}

void Connection::tick(Clock::time_point now) {
  const ServerLimits& limits = server_->options.limits;
  if (state_ == State::answering || waiting_to_write_) {
    if (waiting_to_write_ && now > write_deadline_) {
      close();
    } else if (comments_ && output_.empty() && !answer_queued_ && now - last_write_ > limits.keep_alive_comment) {
      push(minor_version_ == 1 ? format_chunk(kComment) : std::string(kComment));
      flush();
    }
    return;
  }
  if (state_ == State::reading_body) {
    const std::chrono::seconds earned(request_.body_bytes / std::max<std::uint64_t>(limits.body_bytes_per_second, 1));
    if (now > body_started_ + limits.body_grace + earned) {
      refuse({408, "request_timeout", "the body came too slowly"});
    }
    return;
  }
  if (server_->draining) {
    close_if_idle();
  }
  if (now <= deadline_ || state_ == State::closed) {
    return;
  }
  if (state_ == State::reading_head && message_started_) {
    refuse({408, "request_timeout", "the head did not come in time"});
  } else {
    close();
  }
}

}  // namespace glovebox::http

#include "server/http/client.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "server/http/address.h"
#include "server/http/grammar.h"
#include "server/http/message_parser.h"

namespace glovebox::http {
namespace {

using base::errno_error;
using base::ErrorCode;
using base::fail;
using base::Fd;
using base::Result;
using base::Status;

constexpr std::size_t kReadBytes = 64U << 10U;
constexpr int kMaxInterim = 16;

// How an answer failed decides whether the request may be sent again.
constexpr std::string_view kClosedBeforeAnswer = "connection_closed";

tl::unexpected<base::Error> closed_before_answer() {
  base::Error error = base::make_error(ErrorCode::internal_error, "the server closed the connection");
  error.stage = kClosedBeforeAnswer;
  return fail(std::move(error));
}

tl::unexpected<base::Error> bad_answer(const Refusal& refusal) {
  return fail(ErrorCode::internal_error, "the server's answer cannot be used: " + refusal.detail);
}

bool may_repeat(const ClientRequest& request) {
  constexpr std::array<std::string_view, 5> kIdempotent = {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"};
  return request.body_fd < 0 && std::find(kIdempotent.begin(), kIdempotent.end(), request.method) != kIdempotent.end();
}

bool is_clients_own(std::string_view name) {
  return equal_ignoring_case(name, "Host") || equal_ignoring_case(name, "Content-Length") ||
         equal_ignoring_case(name, "Connection") || equal_ignoring_case(name, "Transfer-Encoding");
}

Result<std::string> format_request_head(const ClientRequest& request, std::string_view host) {
  const bool visible =
      std::all_of(request.target.begin(), request.target.end(), [](char byte) { return byte > ' ' && byte < 0x7f; });
  if (!is_token(request.method) || request.target.empty() || !visible) {
    return fail(ErrorCode::invalid_request, "the request's method or target cannot be sent");
  }
  std::string head = request.method + " " + request.target + " HTTP/1.1\r\nHost: " + std::string(host) + "\r\n";
  for (const auto& [name, value] : request.headers.fields()) {
    if (!is_token(name) || !is_field_value(value)) {
      return fail(ErrorCode::invalid_request, "the request's header field " + name + " cannot be sent");
    }
    if (!is_clients_own(name)) {
      head.append(name).append(": ").append(value).append("\r\n");
    }
  }
  const std::uint64_t length = request.body_fd >= 0 ? request.body_fd_bytes : request.body.size();
  if (length > 0 || request.method == "POST" || request.method == "PUT" || request.method == "PATCH") {
    head.append("Content-Length: ").append(std::to_string(length)).append("\r\n");
  }
  return head.append("\r\n");
}

}  // namespace

class Client::Impl {
 public:
  Impl(Address address, std::string host, ClientOptions options)
      : address_(std::move(address)), host_(std::move(host)), options_(options) {}

  // Takes pieces of a body that is not kept; false ends the answer early.
  using TakePiece = std::function<Result<bool>(std::string_view)>;
  // Chosen when the head is there: where the body goes. None: into ClientResponse::body.
  using ChooseTake = std::function<TakePiece(const ClientResponse& head)>;

  Result<ClientResponse> exchange(const ClientRequest& request, const ChooseTake& choose) {
    const bool reused = socket_.valid();
    auto response = attempt(request, choose);
    if (!response.has_value() && reused && response.error().stage == kClosedBeforeAnswer && may_repeat(request)) {
      response = attempt(request, choose);
    }
    return response;
  }

  void close() {
    socket_.reset();
    input_.clear();
  }

 private:
  Result<ClientResponse> attempt(const ClientRequest& request, const ChooseTake& choose) {
    if (!socket_.valid()) {
      TRY_STATUS(connect());
    }
    auto response = converse(request, choose);
    if (!response.has_value()) {
      close();
    }
    return response;
  }

  Result<ClientResponse> converse(const ClientRequest& request, const ChooseTake& choose) {
    std::string head = TRY(format_request_head(request, host_));
    if (request.body_fd < 0) {
      head.append(request.body);
    }
    // A server that refuses a request answers before it has read the body, so what it says comes before the failure.
    Status sent = send_all(head);
    if (sent.has_value() && request.body_fd >= 0) {
      sent = send_file(request.body_fd, request.body_fd_bytes);
    }
    auto response = receive(request, choose);
    if (!sent.has_value()) {
      close();
      return response.has_value() ? std::move(response) : Result<ClientResponse>(fail(std::move(sent.error())));
    }
    return response;
  }

  Result<ClientResponse> receive(const ClientRequest& request, const ChooseTake& choose) {
    const HeadLimits limits{options_.max_head_bytes, 256, 0};
    const BodyOfResponse body = request.method == "HEAD" ? BodyOfResponse::never : BodyOfResponse::as_framed;
    ResponseParser parser(limits, body);
    int interim = 0;
    while (true) {
      const auto length = parser.read_head(input_);
      if (!length.has_value()) {
        return bad_answer(length.error());
      }
      input_.erase(0, *length);
      if (*length == 0) {
        if (TRY(read_some()) == 0) {
          return closed_before_answer();
        }
      } else if (parser.status() >= 200) {
        break;
      } else if (++interim > kMaxInterim) {
        return fail(ErrorCode::internal_error, "the server announces an answer again and again, and sends none");
      } else {
        parser = ResponseParser(limits, body);  // 100 Continue and its like
      }
    }
    ClientResponse response;
    response.status = parser.status();
    response.headers = std::move(parser.headers());
    TRY_STATUS(receive_body(parser, response, choose));
    return response;
  }

  Status receive_body(ResponseParser& parser, ClientResponse& response, const ChooseTake& choose) {
    const TakePiece take = choose ? choose(response) : nullptr;
    bool stopped = false;
    std::optional<base::Error> failure;
    const TakeBody pass_on = [&](std::string_view bytes) -> std::optional<Refusal> {
      if (stopped) {
        return std::nullopt;
      }
      if (take) {
        auto go_on = take(bytes);
        stopped = !go_on.has_value() || !*go_on;
        if (!go_on.has_value()) {
          failure = std::move(go_on.error());
        }
        return std::nullopt;
      }
      if (response.body.size() + bytes.size() > options_.max_body_bytes) {
        return Refusal{413, "input_too_large",
                       "it is larger than " + std::to_string(options_.max_body_bytes) + " bytes"};
      }
      response.body.append(bytes);
      return std::nullopt;
    };
    while (!parser.body().complete()) {
      const auto used = parser.body().read(input_, pass_on);
      if (!used.has_value()) {
        return bad_answer(used.error());
      }
      input_.erase(0, *used);
      if (failure.has_value()) {
        return fail(std::move(*failure));
      }
      if (stopped) {
        close();
        return {};
      }
      if (!parser.body().complete() && TRY(read_some()) == 0) {
        if (!parser.body().finish_at_eof()) {
          return fail(ErrorCode::internal_error, "the server's answer was cut short");
        }
        close();
        return {};
      }
    }
    if (!parser.keep_alive() || response.headers.has_token("Connection", "close")) {
      close();
    }
    return {};
  }

  Status connect() {
    input_.clear();
    Fd socket(::socket(address_.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket.valid()) {
      return fail(errno_error(ErrorCode::internal_error, "connect", "cannot make a socket"));
    }
    const KernelAddress kernel = TRY(KernelAddress::of(address_));
    if (::connect(socket.get(), kernel.raw(), kernel.length()) != 0) {
      if (errno != EINPROGRESS) {
        return cannot_connect();
      }
      TRY_STATUS(wait_for(socket.get(), POLLOUT, options_.connect_timeout));
      int error = 0;
      socklen_t length = sizeof(error);
      ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &length);
      if (error != 0) {
        errno = error;
        return cannot_connect();
      }
    }
    const int on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    socket_ = std::move(socket);
    return {};
  }

  [[nodiscard]] tl::unexpected<base::Error> cannot_connect() const {
    return fail(errno_error(ErrorCode::internal_error, "connect", "cannot connect to " + to_string(address_)));
  }

  static Status wait_for(int socket, short events, std::chrono::milliseconds patience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (true) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
      pollfd poll{socket, events, 0};
      const int ready = ::poll(&poll, 1, static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1 << 30)));
      if (ready > 0) {
        return {};
      }
      if (ready == 0) {
        return fail(ErrorCode::internal_error, "the server did not answer in time");
      }
      if (errno != EINTR) {
        return fail(errno_error(ErrorCode::internal_error, "poll", "cannot wait for the server"));
      }
    }
  }

  Status send_all(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent >= 0) {
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      } else if (errno == EAGAIN) {
        TRY_STATUS(wait_for(socket_.get(), POLLOUT, options_.io_timeout));
      } else if (errno == EPIPE || errno == ECONNRESET) {
        return closed_before_answer();
      } else if (errno != EINTR) {
        return fail(errno_error(ErrorCode::internal_error, "send", "cannot send the request"));
      }
    }
    return {};
  }

  Status send_file(int fd, std::uint64_t length) {
    std::vector<char> piece(kReadBytes);
    while (length > 0) {
      const ssize_t got =
          ::read(fd, piece.data(), static_cast<std::size_t>(std::min<std::uint64_t>(length, piece.size())));
      if (got < 0 && errno == EINTR) {
        continue;
      }
      if (got <= 0) {
        return fail(ErrorCode::internal_error, "the file to send is shorter than it was, or cannot be read");
      }
      TRY_STATUS(send_all({piece.data(), static_cast<std::size_t>(got)}));
      length -= static_cast<std::uint64_t>(got);
    }
    return {};
  }

  // Appends what is there to the input; 0 when the server has closed.
  Result<std::size_t> read_some() {
    const std::size_t before = input_.size();
    while (true) {
      input_.resize(before + kReadBytes);
      const ssize_t got = ::recv(socket_.get(), input_.data() + before, kReadBytes, 0);
      const int error = errno;
      input_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
      if (got >= 0) {
        return static_cast<std::size_t>(got);
      }
      if (error == EAGAIN) {
        TRY_STATUS(wait_for(socket_.get(), POLLIN, options_.io_timeout));
      } else if (error == ECONNRESET) {
        return 0;
      } else if (error != EINTR) {
        errno = error;
        return fail(errno_error(ErrorCode::internal_error, "receive", "cannot read the answer"));
      }
    }
  }

  Address address_;
  std::string host_;
  ClientOptions options_;
  Fd socket_;
  std::string input_;  // read and not parsed
};

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Result<Client> Client::to(std::string_view address, ClientOptions options) {
  Address parsed = TRY(parse_address(address));
  std::string host = parsed.is_unix() ? "localhost" : to_string(parsed);
  return Client(std::make_unique<Impl>(std::move(parsed), std::move(host), options));
}

Result<ClientResponse> Client::send(const ClientRequest& request) { return impl_->exchange(request, nullptr); }

Result<ClientResponse> Client::stream(const ClientRequest& request,
                                      const std::function<bool(const ServerSentEvent&)>& on_event) {
  EventReader reader;
  const auto feed = [&](std::string_view bytes) -> Result<bool> {
    bool go_on = true;
    TRY_STATUS(reader.feed(bytes, [&](const ServerSentEvent& event) {
      go_on = on_event(event);
      return go_on;
    }));
    return go_on;
  };
  return impl_->exchange(request, [&](const ClientResponse& head) -> Impl::TakePiece {
    if (head.headers.get("Content-Type").starts_with("text/event-stream")) {
      return feed;
    }
    return nullptr;
  });
}

Result<ClientResponse> Client::download(const ClientRequest& request,
                                        const std::function<bool(std::string_view)>& on_bytes) {
  return impl_->exchange(request, [&](const ClientResponse& head) -> Impl::TakePiece {
    if (head.status < 200 || head.status > 299) {
      return nullptr;
    }
    return [&](std::string_view bytes) -> Result<bool> { return on_bytes(bytes); };
  });
}

void Client::close() { impl_->close(); }

}  // namespace glovebox::http

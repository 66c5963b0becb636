// A small blocking HTTP/1.1 client over plain TCP or a unix socket: for the command line, the benchmark and exporters.
//
// One Client is one place and at most one connection, kept alive between requests and opened again when the server has
// closed it. It resolves no names: an IP literal, "localhost", or the path of a socket. A client is for one thread.
// What comes back is as little trusted as what a server receives: sizes and times are bounded.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "server/http/message.h"
#include "server/http/sse.h"

namespace glovebox::http {

struct ClientOptions {
  std::chrono::milliseconds connect_timeout{2'000};
  std::chrono::milliseconds io_timeout{30'000};  // without any progress
  std::size_t max_head_bytes = 64U << 10U;
  std::uint64_t max_body_bytes = 64U << 20U;  // of what is kept in memory
};

struct ClientRequest {
  std::string method = "GET";
  std::string target = "/";  // already percent-encoded: see encode_segment
  Headers headers;           // Host, Content-Length and Connection are the client's
  std::string body;
  // Instead of `body`: this many bytes from the descriptor's current offset. Not owned.
  int body_fd = -1;
  std::uint64_t body_fd_bytes = 0;
};

struct ClientResponse {
  int status = 0;
  Headers headers;
  std::string body;
};

// Percent-encodes everything but unreserved characters: one segment of a path, or one name or value of a query.
[[nodiscard]] std::string encode_segment(std::string_view text);

class Client {
 public:
  // "http://127.0.0.1:7070", "127.0.0.1:7070", "[::1]:7070", "localhost:7070", "unix:/run/glovebox.sock". Does not
  // connect yet.
  [[nodiscard]] static base::Result<Client> to(std::string_view address, ClientOptions options = {});
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  // A connection that the server closed while it was idle is opened again, once, if nothing of an answer was read and
  // the method is safe to repeat (GET, HEAD, PUT, DELETE, OPTIONS).
  [[nodiscard]] base::Result<ClientResponse> send(const ClientRequest& request);

  // Like send, but hands over server-sent events as they come, and returns at the end of the stream, with an empty
  // body. False from `on_event` ends it early and closes the connection. An answer that is no event stream (an error,
  // say) comes back whole.
  [[nodiscard]] base::Result<ClientResponse> stream(const ClientRequest& request,
                                                    const std::function<bool(const ServerSentEvent&)>& on_event);

  // Like send, but hands over the body's bytes as they come if the status is 2xx. False from `on_bytes` ends it early.
  [[nodiscard]] base::Result<ClientResponse> download(const ClientRequest& request,
                                                      const std::function<bool(std::string_view)>& on_bytes);

  void close();

 private:
  class Impl;
  explicit Client(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace glovebox::http

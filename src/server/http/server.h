// An HTTP/1.1 server for hostile networks. It knows nothing of runs.
//
// Threads: each I/O thread has its own event loop; one of them also accepts. A connection belongs to one I/O thread for
// life, so its state needs no lock; answers from other threads are posted to it. A timer per I/O thread looks at all
// its connections a few times a second and enforces every time limit: a request costs no timer of its own.
//
// A connection: read head → check (head_rules, target, host_rules) → plan the body → read body → hand an Exchange to
// the handler → write the answer → next request, or close. Requests that came ahead wait in the buffer: they are
// answered in order. A message whose end is in doubt is refused and the connection closed, so nothing can be smuggled
// behind it.
//
// Boost (Asio for the loop, Beast for the grammar of HTTP) stays in the .cpp files of this folder; exceptions too.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/http/exchange.h"
#include "server/http/message.h"

namespace glovebox::http {

// What may follow a head: decided when the head is read, before any of the body.
struct BodyPlan {
  std::uint64_t limit_bytes = 1U << 20U;
  std::shared_ptr<BodySink> sink;   // none: into Request::body
  std::optional<Response> refusal;  // answers at once, e.g. 401; the body is never read
};

struct ServerLimits {
  std::size_t head_bytes = 16U << 10U;   // 431
  std::size_t header_fields = 100;       // 431
  std::size_t target_bytes = 8U << 10U;  // 414
  std::size_t connections = 1024;        // 503 with Retry-After
  // For all bodies in memory together: 503 with Retry-After. Those of up to 64 KiB are always taken.
  std::uint64_t all_bodies_bytes = 1U << 30U;
  std::size_t stream_buffer_bytes = 1U << 20U;
  std::chrono::milliseconds head_timeout{10'000};   // 408; from the first byte, or from accept on
  std::chrono::milliseconds idle_timeout{60'000};   // between requests; closes silently
  std::chrono::milliseconds body_grace{10'000};     // a body may take this long …
  std::uint64_t body_bytes_per_second = 1024;       // … and longer only while it keeps this rate; else 408
  std::chrono::milliseconds write_timeout{30'000};  // without progress; closes
  std::chrono::milliseconds keep_alive_comment{15'000};
};

struct ServerOptions {
  // "127.0.0.1:7070", "[::1]:7070", "localhost:7070" (127.0.0.1), "0.0.0.0:0", "unix:/run/glovebox.sock"
  std::vector<std::string> listen;
  mode_t unix_socket_mode = 0600;
  std::string owner_socket;  // the path of one more unix socket, for nobody but this user; empty: none
  unsigned io_threads = 2;
  // Names that the Host field may have, without port; "*" is any. A loopback client may always say localhost,
  // 127.0.0.1 or [::1], and if this is empty nothing else: a page in a browser must not reach us by renaming itself
  // (DNS rebinding). A client from elsewhere may say anything if this is empty, unix sockets always. Else 421.
  std::vector<std::string> allowed_hosts;
  ServerLimits limits;
  // Called with the head for requests that have a body. Must not block. Unset: 1 MiB in memory.
  std::function<BodyPlan(const Request& head)> plan_body;
  // Turns what a sink failed with into an answer. Unset: 413 for input_too_large, 400 for invalid_request, else 500.
  std::function<Response(const base::Error&)> describe_error;
};

struct ServerStats {
  std::uint64_t connections_open = 0;
  std::uint64_t connections_accepted = 0;
  std::uint64_t connections_refused = 0;  // over the limit
  std::uint64_t requests_started = 0;     // handed to the handler
  std::uint64_t requests_malformed = 0;   // refused by this folder
  std::uint64_t body_bytes_held = 0;      // of ServerLimits::all_bodies_bytes
};

class Server {
 public:
  // Listens and starts the I/O threads; the handler may be called before this returns.
  [[nodiscard]] static base::Result<std::unique_ptr<Server>> start(ServerOptions options, Handler handler);
  // Closes every connection, answered or not, and joins. Exchanges may outlive it; their answers go nowhere.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Where it listens, in the spelling of ServerOptions::listen, with the real port.
  [[nodiscard]] const std::vector<std::string>& addresses() const;
  [[nodiscard]] ServerStats stats() const;

  void stop_accepting();
  // Stops accepting, closes idle connections, lets requests that were begun finish (with "Connection: close").
  // True when all connections were gone within the deadline. Must not be called on an I/O thread.
  [[nodiscard]] bool drain(std::chrono::milliseconds deadline);

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace glovebox::http

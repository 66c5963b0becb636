// A server to throw things at: the HTTP tests drive it over raw sockets, wrk measures it. Prints its addresses, one per
// line, and serves until SIGTERM; then it drains, and its exit status says whether that worked.
//
//   http_echo --listen 127.0.0.1:0 [--listen unix:/path] [--threads 2] [--connections N] [--allow-host NAME]
//             [--head-timeout-ms N] [--idle-timeout-ms N] [--body-grace-ms N] [--write-timeout-ms N] [--comment-ms N]
//             [--stream-buffer N] [--unix-mode OCTAL] [--drain-ms N]
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "server/http/problem.h"
#include "server/http/server.h"
#include "server/http/sse.h"

namespace {

using namespace glovebox;  // NOLINT
using http::Exchange;
using http::Request;
using http::Response;

std::atomic<int> disconnects = 0;
std::atomic<int> abandoned_uploads = 0;

int number_of(const Request& request, std::string_view name, int fallback) {
  const std::string* text = request.query_value(name);
  int number = fallback;
  if (text != nullptr) {
    std::from_chars(text->data(), text->data() + text->size(), number);
  }
  return number;
}

Response text(std::string body) {
  Response response;
  response.headers.add("Content-Type", "text/plain");
  response.body = std::move(body);
  return response;
}

// Counts, and adds up the bytes so that a lost or doubled piece shows.
class CountingSink final : public http::BodySink {
 public:
  ~CountingSink() override {
    if (!finished_) {
      ++abandoned_uploads;
    }
  }
  base::Status append(std::string_view bytes) override {
    for (const char byte : bytes) {
      sum_ += static_cast<unsigned char>(byte) * (++count_ % 251);
    }
    if (bytes.find("poison") != std::string_view::npos) {
      return base::fail(base::ErrorCode::invalid_request, "the sink does not like this");
    }
    return {};
  }
  base::Status finish() override {
    finished_ = true;
    return {};
  }
  [[nodiscard]] std::string report() const { return std::to_string(count_) + " " + std::to_string(sum_); }

 private:
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  bool finished_ = false;
};

http::BodyPlan plan_body(const Request& head) {
  http::BodyPlan plan;
  if (head.path == std::vector<std::string>{"upload"}) {
    plan.limit_bytes = 1U << 30U;
    plan.sink = std::make_shared<CountingSink>();
  } else if (head.path == std::vector<std::string>{"forbidden"}) {
    plan.refusal = http::problem(401, "unauthorized", "no key");
  } else {
    plan.limit_bytes = 64U << 10U;
  }
  return plan;
}

std::string describe(const Request& request) {
  std::string out = request.method + "\n";
  for (const auto& segment : request.path) {
    out.append("segment ").append(segment).append("\n");
  }
  for (const auto& [name, value] : request.query) {
    out.append("query ").append(name).append(" = ").append(value).append("\n");
  }
  out += "body " + std::to_string(request.body_bytes) + " " + request.body + "\n";
  out += "peer " + request.peer.address + (request.peer.is_loopback ? " loopback" : "") +
         (request.peer.uid.has_value() ? " uid " + std::to_string(*request.peer.uid) : "") + "\n";
  return out;
}

void stream(const std::shared_ptr<Exchange>& exchange) {
  const int count = number_of(exchange->request(), "count", 3);
  const int pause_ms = number_of(exchange->request(), "ms", 10);
  const auto bytes = static_cast<std::size_t>(number_of(exchange->request(), "bytes", 10));
  exchange->on_disconnect([] { ++disconnects; });
  exchange->start_stream(200, {{"Content-Type", "text/event-stream"}, {"Cache-Control", "no-store"}});
  std::thread([exchange, count, pause_ms, bytes] {
    for (int index = 0; index < count; ++index) {
      if (!exchange->write(http::format_event({"tick", std::string(bytes, 'x'), std::to_string(index)}))) {
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
    }
    exchange->end();
  }).detach();
}

void file(const std::shared_ptr<Exchange>& exchange) {
  const int bytes = number_of(exchange->request(), "bytes", 1 << 20);
  base::Fd memory(::memfd_create("echo", MFD_CLOEXEC));
  const std::string content(static_cast<std::size_t>(bytes), 'f');
  if (::write(memory.get(), content.data(), content.size()) != static_cast<ssize_t>(content.size())) {
    return;
  }
  Response response;
  response.headers.add("Content-Type", "application/octet-stream");
  // One byte more than there is: the promise cannot be kept.
  const int length = exchange->request().query_value("short") != nullptr ? bytes + 1 : bytes;
  response.file = http::FileBody{std::move(memory), 0, static_cast<std::uint64_t>(length)};
  exchange->respond(std::move(response));
}

void later(const std::shared_ptr<Exchange>& exchange) {
  const int pause_ms = number_of(exchange->request(), "ms", 100);
  exchange->on_disconnect([] { ++disconnects; });
  std::thread([exchange, pause_ms] {
    std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
    exchange->respond(text("late\n"));
  }).detach();
}

using Routes = std::map<std::string, std::function<void(const std::shared_ptr<Exchange>&)>, std::less<>>;

Routes make_routes() {
  return {
      {"echo", [](const auto& exchange) { exchange->respond(text(std::move(exchange->request().body))); }},
      {"hello", [](const auto& exchange) { exchange->respond(text("hello\n")); }},
      {"describe", [](const auto& exchange) { exchange->respond(text(describe(exchange->request()))); }},
      {"large",
       [](const auto& exchange) {
         exchange->respond(
             text(std::string(static_cast<std::size_t>(number_of(exchange->request(), "bytes", 0)), 'l')));
       }},
      {"later", later},
      {"stream", stream},
      {"file", file},
      {"upload",
       [](const auto& exchange) {
         const auto* sink = dynamic_cast<const CountingSink*>(exchange->request().sink.get());
         exchange->respond(text(sink != nullptr ? sink->report() : "no body"));
       }},
      {"drop", [](const auto&) {}},
      {"throw", [](const auto&) { throw std::runtime_error("thrown"); }},
      {"inject",
       [](const auto& exchange) {
         Response response = text("x");
         response.headers.add("X-Evil", "a\r\nSet-Cookie: b");
         exchange->respond(std::move(response));
       }},
      {"empty",
       [](const auto& exchange) {
         Response response = text("must not be sent");
         response.status = 204;
         exchange->respond(std::move(response));
       }},
      {"disconnects", [](const auto& exchange) { exchange->respond(text(std::to_string(disconnects))); }},
      {"abandoned", [](const auto& exchange) { exchange->respond(text(std::to_string(abandoned_uploads))); }},
  };
}

void handle(const std::shared_ptr<Exchange>& exchange) {
  static const Routes routes = make_routes();
  const auto& path = exchange->request().path;
  const auto route = path.empty() ? routes.end() : routes.find(path.front());
  if (route == routes.end()) {
    exchange->respond(http::problem(404, "not_found", "nothing here"));
  } else {
    route->second(exchange);
  }
}

}  // namespace

int main(int argc, char** argv) {
  http::ServerOptions options;
  options.plan_body = plan_body;
  int drain_ms = 5000;
  const auto milliseconds = [](const char* value) { return std::chrono::milliseconds(std::atoi(value)); };
  for (int index = 1; index + 1 < argc; index += 2) {
    const std::string_view flag = argv[index];
    const char* value = argv[index + 1];
    if (flag == "--listen") {
      options.listen.emplace_back(value);
    } else if (flag == "--threads") {
      options.io_threads = static_cast<unsigned>(std::atoi(value));
    } else if (flag == "--connections") {
      options.limits.connections = static_cast<std::size_t>(std::atoi(value));
    } else if (flag == "--allow-host") {
      options.allowed_hosts.emplace_back(value);
    } else if (flag == "--head-timeout-ms") {
      options.limits.head_timeout = milliseconds(value);
    } else if (flag == "--idle-timeout-ms") {
      options.limits.idle_timeout = milliseconds(value);
    } else if (flag == "--body-grace-ms") {
      options.limits.body_grace = milliseconds(value);
    } else if (flag == "--write-timeout-ms") {
      options.limits.write_timeout = milliseconds(value);
    } else if (flag == "--comment-ms") {
      options.limits.keep_alive_comment = milliseconds(value);
    } else if (flag == "--stream-buffer") {
      options.limits.stream_buffer_bytes = static_cast<std::size_t>(std::atoi(value));
    } else if (flag == "--unix-mode") {
      options.unix_socket_mode = static_cast<mode_t>(std::strtoul(value, nullptr, 8));
    } else if (flag == "--drain-ms") {
      drain_ms = std::atoi(value);
    } else {
      std::fprintf(stderr, "unknown flag %s\n", argv[index]);
      return 2;
    }
  }
  sigset_t wanted;
  ::sigemptyset(&wanted);
  ::sigaddset(&wanted, SIGTERM);
  ::sigaddset(&wanted, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &wanted, nullptr);

  const auto server = http::Server::start(std::move(options), handle);
  if (!server.has_value()) {
    std::fprintf(stderr, "%s\n", base::describe(server.error()).c_str());
    return 1;
  }
  for (const std::string& address : (*server)->addresses()) {
    std::printf("%s\n", address.c_str());
  }
  std::fflush(stdout);
  int signal = 0;
  ::sigwait(&wanted, &signal);
  return (*server)->drain(std::chrono::milliseconds(drain_ms)) ? 0 : 3;
}

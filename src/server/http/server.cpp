#include "server/http/server.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <utility>

#include "server/http/address.h"
#include "server/http/connection.h"
#include "server/http/io_thread.h"
#include "server/http/listener.h"

namespace glovebox::http {
namespace {

using base::Result;

constexpr std::uint64_t kTurnedAwayAtOnce = 128;  // beyond the limit, connections that still get an answer
// Over all that strangers can hold: whoever operates the service can stop it, however crowded it is.
constexpr std::uint64_t kKeptForOwner = kTurnedAwayAtOnce + 32;
constexpr std::chrono::milliseconds kAcceptPause{100};

// Accepts on one listener, on one I/O thread, and deals connections out to all of them in turn.
class Acceptor : public std::enable_shared_from_this<Acceptor> {
 public:
  Acceptor(Listener listener, std::shared_ptr<ServerState> server,
           const std::vector<std::shared_ptr<IoThread>>& threads)
      : listener_(std::move(listener)),
        server_(std::move(server)),
        threads_(threads),
        waiter_(threads.front()->context(), ::fcntl(listener_->fd(), F_DUPFD_CLOEXEC, 0)),
        pause_(threads.front()->context()) {}

  [[nodiscard]] const std::string& name() const { return listener_->name(); }

  // On the first I/O thread.
  void wait() {
    waiter_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                       [self = shared_from_this()](const boost::system::error_code& error) {
                         if (!error && self->listener_.has_value()) {
                           self->accept_all();
                         }
                       });
  }
  void close() {
    boost::system::error_code ignored;
    waiter_.close(ignored);
    pause_.cancel();
    listener_.reset();
  }

 private:
  void accept_all() {
    while (true) {
      base::Fd socket = listener_->accept();
      if (socket.valid()) {
        deal(std::move(socket));
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        wait();
        return;
      } else if (errno != ECONNABORTED && errno != EINTR) {
        pause();
        return;
      }
    }
  }

  // No descriptors or no memory: asking again at once would only burn the processor.
  void pause() {
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (!error && self->listener_.has_value()) {
        self->accept_all();
      }
    });
  }

  void deal(base::Fd socket) {
    const std::uint64_t open = ++server_->open;
    ++server_->accepted;
    const std::uint64_t most = server_->options.limits.connections + (listener_->is_owners() ? kKeptForOwner : 0);
    const bool too_many = open > most;
    if (too_many) {
      ++server_->refused;
    }
    if (open > most + kTurnedAwayAtOnce) {
      server_->connection_closed();
      return;
    }
    const auto& thread = threads_[next_++ % threads_.size()];
    thread->post([io = thread.get(), server = server_, socket = std::move(socket), too_many]() mutable {
      const auto connection = std::make_shared<Connection>(*io, std::move(server), std::move(socket));
      io->add(connection);
      too_many ? connection->turn_away() : connection->start();
    });
  }

  std::optional<Listener> listener_;
  std::shared_ptr<ServerState> server_;
  const std::vector<std::shared_ptr<IoThread>>& threads_;  // the server joins them before it goes
  boost::asio::posix::stream_descriptor waiter_;
  boost::asio::steady_timer pause_;
  std::size_t next_ = 0;
};

}  // namespace

class Server::Impl {
 public:
  Impl(ServerOptions options, Handler handler)
      : state(std::make_shared<ServerState>(std::move(options), std::move(handler))) {}
  ~Impl() {
    stop_accepting();
    for (const auto& thread : threads) {
      thread->stop();
    }
  }

  void stop_accepting() {
    for (const auto& acceptor : std::exchange(acceptors, {})) {
      threads.front()->post([acceptor] { acceptor->close(); });
    }
  }

  std::shared_ptr<ServerState> state;
  std::vector<std::shared_ptr<IoThread>> threads;
  std::vector<std::shared_ptr<Acceptor>> acceptors;
  std::vector<std::string> addresses;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::start(ServerOptions options, Handler handler) {
  std::vector<Listener> listeners;
  for (const std::string& text : options.listen) {
    const Address address = TRY(parse_address(text));
    listeners.push_back(TRY(Listener::open(address, options.unix_socket_mode)));
  }
  if (!options.owner_socket.empty()) {
    const Address address = TRY(parse_address("unix:" + options.owner_socket));
    listeners.push_back(TRY(Listener::open(address, S_IRUSR | S_IWUSR)));
  }
  const unsigned thread_count = std::max(options.io_threads, 1U);
  try {
    auto impl = std::make_unique<Impl>(std::move(options), std::move(handler));
    for (unsigned index = 0; index < thread_count; ++index) {
      impl->threads.push_back(std::make_shared<IoThread>());
      TRY_STATUS(impl->threads.back()->start());
    }
    for (Listener& listener : listeners) {
      impl->addresses.push_back(listener.name());
      impl->acceptors.push_back(std::make_shared<Acceptor>(std::move(listener), impl->state, impl->threads));
      impl->threads.front()->post([acceptor = impl->acceptors.back()] { acceptor->wait(); });
    }
    return std::unique_ptr<Server>(new Server(std::move(impl)));
  } catch (const std::exception& error) {
    return base::fail(base::ErrorCode::setup_failed, std::string("cannot start the HTTP server: ") + error.what());
  }
}

const std::vector<std::string>& Server::addresses() const { return impl_->addresses; }

ServerStats Server::stats() const {
  ServerStats stats;
  stats.connections_open = impl_->state->open;
  stats.connections_accepted = impl_->state->accepted;
  stats.connections_refused = impl_->state->refused;
  stats.requests_started = impl_->state->started;
  stats.requests_malformed = impl_->state->malformed;
  stats.body_bytes_held = impl_->state->bodies->held();
  return stats;
}

void Server::stop_accepting() { impl_->stop_accepting(); }

bool Server::drain(std::chrono::milliseconds deadline) {
  ServerState& state = *impl_->state;
  state.draining = true;
  stop_accepting();
  for (const auto& thread : impl_->threads) {
    thread->post([io = thread.get()] { io->close_idle_connections(); });
  }
  std::unique_lock lock(state.mutex);
  return state.all_closed.wait_for(lock, deadline, [&] { return state.open == 0; });
}

}  // namespace glovebox::http

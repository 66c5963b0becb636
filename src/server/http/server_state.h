// What all connections of one server share. Options do not change after the start; the rest is atomic.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "server/http/body_memory.h"
#include "server/http/server.h"

namespace glovebox::http {

using Clock = std::chrono::steady_clock;

// Runs what a handler gave us. It should not throw; if it does, the exchange is dropped and answered 500 by that, and
// the server lives.
template <typename Action>
void shielded(Action&& action) {
  try {
    action();
  } catch (...) {  // NOLINT(bugprone-empty-catch)
  }
}

struct ServerState {
  ServerState(ServerOptions given_options, Handler given_handler)
      : options(std::move(given_options)),
        handler(std::move(given_handler)),
        bodies(std::make_shared<BodyMemory>(options.limits.all_bodies_bytes)) {}

  const ServerOptions options;
  const Handler handler;
  const std::shared_ptr<BodyMemory> bodies;  // requests may outlive the server
  std::atomic<bool> draining = false;
  std::atomic<std::uint64_t> open = 0;
  std::atomic<std::uint64_t> accepted = 0;
  std::atomic<std::uint64_t> refused = 0;
  std::atomic<std::uint64_t> started = 0;
  std::atomic<std::uint64_t> malformed = 0;

  void connection_closed() {
    if (--open == 0 && draining) {
      const std::lock_guard lock(mutex);
      all_closed.notify_all();
    }
  }

  std::mutex mutex;
  std::condition_variable all_closed;
};

}  // namespace glovebox::http

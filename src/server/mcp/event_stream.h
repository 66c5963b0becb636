// Messages to a client as server-sent events, on a stream that may outlive its connection.
//
// In the older era a client may lose its connection, or be asked to come back later, and take the stream up again where
// it was: every event has an id, and what was not delivered is kept for a while. The stateless era has no such thing:
// there the stream is its connection.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "server/api/call.h"

namespace glovebox::server {

// What a session keeps of its streams, for a client that comes back.
inline constexpr std::size_t kMostKeptBytes = 1U << 20U;

class EventStream {
 public:
  enum class Resumable { no, yes };

  // `number` leads the ids of its events.
  // `budget`: bytes that all streams of the session keep.
  EventStream(std::uint64_t number, Resumable resumable, std::shared_ptr<std::atomic<std::size_t>> budget = nullptr)
      : number_(number), resumable_(resumable), budget_(std::move(budget)) {}
  ~EventStream() { forget(); }

  // The connection that events go to from now on; those after `after` that were missed go first. An earlier connection
  // is ended.
  void attach(CallPtr connection, http::Headers headers, std::uint64_t after);
  // An event without data, so that the client has an id to come back with.
  void prime();
  void send(const std::string& message);
  // Nothing comes any more.
  void finish();
  // Ends the connection, not the stream.
  void pause();

  [[nodiscard]] std::uint64_t number() const { return number_; }
  // All was said, and a connection took all of it.
  [[nodiscard]] bool delivered() const;
  void forget();

 private:
  struct Event {
    std::uint64_t sequence = 0;
    std::string message;
  };
  // Those below are called with the lock.
  void write(const Event& event);
  void detach();
  void drop_oldest();

  const std::uint64_t number_;
  const Resumable resumable_;
  const std::shared_ptr<std::atomic<std::size_t>> budget_;
  mutable std::mutex mutex_;
  CallPtr connection_;
  std::deque<Event> events_;
  std::uint64_t last_ = 0;
  bool finished_ = false;
  bool lost_ = false;  // a connection broke before it had everything
};

using EventStreamPtr = std::shared_ptr<EventStream>;

// "3-17" → {3, 17}
struct EventId {
  std::uint64_t stream = 0;
  std::uint64_t sequence = 0;
};
[[nodiscard]] std::optional<EventId> parse_event_id(std::string_view text);

}  // namespace glovebox::server

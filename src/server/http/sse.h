// Server-sent events: what text/event-stream looks like, in both directions.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace glovebox::http {

struct ServerSentEvent {
  std::string event;  // "" is the default type, "message"
  std::string data;   // may hold newlines
  std::string id;

  bool operator==(const ServerSentEvent&) const = default;
};

// The event's lines and the empty line that ends it. `event` and `id` must be one line each: what follows a line break
// in them is dropped.
[[nodiscard]] std::string format_event(const ServerSentEvent& event);

// Reads a stream in pieces of any size. An event larger than the bound is an error, and so is all that follows.
class EventReader {
 public:
  explicit EventReader(std::size_t max_event_bytes = 16U << 20U) : max_event_bytes_(max_event_bytes) {}

  // Calls `on_event` for each event that is complete. False from it: the rest is not looked at.
  [[nodiscard]] base::Status feed(std::string_view bytes, const std::function<bool(const ServerSentEvent&)>& on_event);

 private:
  // True if this line ended an event.
  [[nodiscard]] bool take_line(std::string_view line);

  std::size_t max_event_bytes_;
  std::string line_;
  ServerSentEvent event_;
  bool has_data_ = false;
  bool after_cr_ = false;
};

}  // namespace glovebox::http

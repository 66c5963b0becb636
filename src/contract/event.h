// What a caller may watch while a run goes on (C5). The final result is the same object as without watching.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace glovebox::contract {

enum class EventKind { state, standard_output, standard_error };

struct Event {
  EventKind kind = EventKind::state;
  std::string_view data;  // a state's name ("preparing", "running"), or raw output bytes
};

// Called on the thread that called Runner::run; must not block.
using EventSink = std::function<void(const Event&)>;

}  // namespace glovebox::contract

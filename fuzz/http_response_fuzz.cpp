// What a server answers to our client, and the event stream in it: bounded, and the same however it is cut.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/message_parser.h"
#include "server/http/sse.h"

namespace {

using namespace glovebox::http;  // NOLINT

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

struct Outcome {
  bool refused = false;
  bool complete = false;
  int status = 0;
  std::string body;

  bool operator==(const Outcome&) const = default;
};

Outcome read(std::string_view message, std::size_t piece) {
  Outcome outcome;
  ResponseParser parser({64U << 10U, 256, 0}, BodyOfResponse::as_framed);
  std::string buffered;
  bool head_done = false;
  const TakeBody take = [&](std::string_view bytes) -> std::optional<Refusal> {
    outcome.body.append(bytes);
    return std::nullopt;
  };
  while (true) {
    const auto used = head_done ? parser.body().read(buffered, take) : parser.read_head(buffered);
    if (!used.has_value()) {
      return Outcome{true, false, 0, ""};
    }
    require(*used <= buffered.size());
    buffered.erase(0, *used);
    if (!head_done && *used > 0) {
      head_done = true;
      outcome.status = parser.status();
      require(outcome.status >= 100 && outcome.status <= 999 && parser.headers().size() <= 256);
      continue;
    }
    if ((head_done && parser.body().complete()) || message.empty()) {
      outcome.complete = head_done && parser.body().finish_at_eof();
      return outcome;
    }
    buffered += message.substr(0, piece);
    message.remove_prefix(std::min(piece, message.size()));
  }
}

std::vector<ServerSentEvent> events_of(std::string_view body, std::size_t piece) {
  constexpr std::size_t kMaxEventBytes = 4096;
  std::vector<ServerSentEvent> events;
  EventReader reader(kMaxEventBytes);
  while (!body.empty()) {
    const auto fed = reader.feed(body.substr(0, piece), [&](const ServerSentEvent& event) {
      require(event.data.size() <= kMaxEventBytes && event.event.find_first_of("\r\n") == std::string::npos);
      events.push_back(event);
      return true;
    });
    if (!fed.has_value()) {
      break;
    }
    body.remove_prefix(std::min(piece, body.size()));
  }
  return events;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view message(reinterpret_cast<const char*>(data), size);
  const Outcome whole = read(message, std::max<std::size_t>(size, 1));
  require(whole == read(message, 1 + size % 13));
  const auto events = events_of(whole.body, std::max<std::size_t>(whole.body.size(), 1));
  require(events == events_of(whole.body, 1 + size % 7));
  for (const ServerSentEvent& event : events) {
    std::vector<ServerSentEvent> again = events_of(format_event(event), 3);
    require(again.size() == 1 && again.front() == event);
  }
  return 0;
}

#include "server/mcp/event_stream.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "server/http/sse.h"

namespace glovebox::server {
namespace {

constexpr std::size_t kMostKeptEvents = 1000;
constexpr int kRetryMs = 500;

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(value)
                                                                                   : std::nullopt;
}

}  // namespace

std::optional<EventId> parse_event_id(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == text.npos) {
    return std::nullopt;
  }
  const auto stream = parse_number(text.substr(0, dash));
  const auto sequence = parse_number(text.substr(dash + 1));
  return stream && sequence ? std::optional(EventId{*stream, *sequence}) : std::nullopt;
}

void EventStream::attach(CallPtr connection, http::Headers headers, std::uint64_t after) {
  const std::lock_guard lock(mutex_);
  detach();
  connection_ = std::move(connection);
  connection_->start_stream(std::move(headers));
  lost_ = false;
  for (const Event& event : events_) {
    if (event.sequence > after) {
      write(event);
    }
  }
  if (finished_) {
    detach();
  }
}

void EventStream::prime() {
  const std::lock_guard lock(mutex_);
  if (connection_ != nullptr && resumable_ == Resumable::yes) {
    (void)connection_->exchange().write(fmt::format("id: {}-{}\nretry: {}\ndata: \n\n", number_, last_, kRetryMs));
  }
}

void EventStream::send(const std::string& message) {
  const std::lock_guard lock(mutex_);
  if (finished_) {
    return;
  }
  Event event{++last_, message};
  write(event);
  if (resumable_ == Resumable::no) {
    return;
  }
  // Its own oldest make room; what is too large by itself is not kept.
  const std::size_t bytes = event.message.size();
  while (!events_.empty() && (events_.size() >= kMostKeptEvents || *budget_ + bytes > kMostKeptBytes)) {
    drop_oldest();
  }
  if (*budget_ + bytes <= kMostKeptBytes) {
    *budget_ += bytes;
    events_.push_back(std::move(event));
  }
}

void EventStream::drop_oldest() {
  *budget_ -= events_.front().message.size();
  events_.pop_front();
}

void EventStream::write(const Event& event) {
  if (connection_ == nullptr) {
    lost_ = true;
    return;
  }
  std::string id = resumable_ == Resumable::yes ? fmt::format("{}-{}", number_, event.sequence) : "";
  if (!connection_->exchange().write(http::format_event({"", event.message, std::move(id)}))) {
    lost_ = true;
    detach();
  }
}

void EventStream::finish() {
  const std::lock_guard lock(mutex_);
  finished_ = true;
  lost_ = lost_ || connection_ == nullptr;
  detach();
  while (!lost_ && !events_.empty()) {
    drop_oldest();  // delivered: nobody comes back for it
  }
}

void EventStream::pause() {
  const std::lock_guard lock(mutex_);
  if (resumable_ == Resumable::yes) {
    lost_ = true;
    detach();
  }
}

void EventStream::detach() {
  if (connection_ != nullptr) {
    std::exchange(connection_, nullptr)->end_stream();
  }
}

bool EventStream::delivered() const {
  const std::lock_guard lock(mutex_);
  return finished_ && !lost_;
}

void EventStream::forget() {
  const std::lock_guard lock(mutex_);
  while (!events_.empty()) {
    drop_oldest();
  }
}

}  // namespace glovebox::server

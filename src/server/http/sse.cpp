#include "server/http/sse.h"

#include <algorithm>
#include <utility>

namespace glovebox::http {
namespace {

std::string_view first_line(std::string_view text) { return text.substr(0, text.find_first_of("\r\n")); }

}  // namespace

std::string format_event(const ServerSentEvent& event) {
  std::string text;
  text.reserve(event.data.size() + event.event.size() + event.id.size() + 32);
  if (!event.id.empty()) {
    text.append("id: ").append(first_line(event.id)).append("\n");
  }
  if (!event.event.empty()) {
    text.append("event: ").append(first_line(event.event)).append("\n");
  }
  // A carriage return ends a line too, so data cannot hold one: it arrives as a newline.
  std::string_view rest = event.data;
  while (true) {
    const std::size_t end = std::min(rest.find_first_of("\r\n"), rest.size());
    text.append("data: ").append(rest.substr(0, end)).append("\n");
    if (end == rest.size()) {
      break;
    }
    rest.remove_prefix(end + (rest.substr(end, 2) == "\r\n" ? 2 : 1));
  }
  text.append("\n");
  return text;
}

base::Status EventReader::feed(std::string_view bytes, const std::function<bool(const ServerSentEvent&)>& on_event) {
  while (!bytes.empty()) {
    if (after_cr_ && bytes.front() == '\n') {
      bytes.remove_prefix(1);
    }
    after_cr_ = false;
    const std::size_t end = std::min(bytes.find_first_of("\r\n"), bytes.size());
    if (line_.size() + event_.data.size() + end > max_event_bytes_) {
      return base::fail(base::ErrorCode::input_too_large, "the server sent an event that is too large");
    }
    line_.append(bytes.substr(0, end));
    if (end == bytes.size()) {
      break;
    }
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    const bool complete = take_line(line_);
    line_.clear();
    if (complete) {
      const ServerSentEvent event = std::exchange(event_, {});
      if (!on_event(event)) {
        break;
      }
    }
  }
  return {};
}

bool EventReader::take_line(std::string_view line) {
  if (line.empty()) {
    if (!std::exchange(has_data_, false)) {
      event_ = {};
      return false;
    }
    event_.data.pop_back();  // the newline after the last line of data
    return true;
  }
  const std::size_t colon = std::min(line.find(':'), line.size());
  const std::string_view name = line.substr(0, colon);
  std::string_view value = line.substr(std::min(colon + 1, line.size()));
  if (value.starts_with(' ')) {
    value.remove_prefix(1);
  }
  if (name == "data") {
    event_.data.append(value).push_back('\n');
    has_data_ = true;
  } else if (name == "event") {
    event_.event = value;
  } else if (name == "id") {
    event_.id = value;
  }
  return false;
}

}  // namespace glovebox::http

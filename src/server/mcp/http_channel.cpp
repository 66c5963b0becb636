#include "server/mcp/http_channel.h"

#include <algorithm>
#include <utility>

#include "mcp/message.h"
#include "server/api/answers.h"

namespace glovebox::server {
namespace {

constexpr std::size_t kMostStreamed = 960U << 10U;

int status_of(const mcp::Answer& answer, bool stateless) {
  constexpr int kOk = 200;
  constexpr int kBadRequest = 400;
  constexpr int kNotFound = 404;
  if (!answer.refused) {
    return kOk;
  }
  // The older era has a method's absence in the body alone.
  if (answer.error_code == mcp::kMethodNotFound) {
    return stateless ? kNotFound : kOk;
  }
  return answer.error_code == mcp::kInternalError ? kOk : kBadRequest;
}

}  // namespace

bool accepts(const http::Headers& headers, std::string_view media_type) {
  if (!headers.contains("Accept")) {
    return media_type == "application/json";
  }
  for (std::string_view value : headers.all("Accept")) {
    while (!value.empty()) {
      const std::size_t comma = std::min(value.find(','), value.size());
      std::string_view range = value.substr(0, comma);
      value.remove_prefix(std::min(comma + 1, value.size()));
      range = range.substr(0, range.find(';'));
      while (range.starts_with(' ') || range.starts_with('\t')) {
        range.remove_prefix(1);
      }
      while (range.ends_with(' ') || range.ends_with('\t')) {
        range.remove_suffix(1);
      }
      const bool all_of_kind = range.ends_with("/*") && media_type.starts_with(range.substr(0, range.size() - 1));
      if (range == "*/*" || all_of_kind || http::equal_ignoring_case(range, media_type)) {
        return true;
      }
    }
  }
  return false;
}

HttpChannel::HttpChannel(CallPtr call, McpSessionPtr session, bool is_new, std::string request_id)
    : call_(std::move(call)),
      session_(std::move(session)),
      is_new_(is_new),
      request_id_(std::move(request_id)),
      accepts_events_(accepts(call_->request().headers, "text/event-stream")),
      accepts_json_(accepts(call_->request().headers, "application/json")) {}

http::Headers HttpChannel::headers() const {
  http::Headers headers;
  if (is_new_) {
    headers.set("Mcp-Session-Id", session_->id);
  }
  return headers;
}

EventStream& HttpChannel::stream() {
  if (stream_ == nullptr) {
    stream_ =
        session_ != nullptr ? session_->new_stream() : std::make_shared<EventStream>(1, EventStream::Resumable::no);
    stream_->attach(call_, headers(), 0);
    const auto revision = session_ != nullptr ? session_->session->revision() : std::nullopt;
    if (revision && *revision >= mcp::Revision::v2025_11_25) {
      stream_->prime();  // older clients would take it for a message
    }
  }
  return *stream_;
}

void HttpChannel::send(std::string message) {
  const std::lock_guard lock(mutex_);
  if (accepts_events_) {
    stream().send(message);
  }
}

void HttpChannel::answer(mcp::Answer answer) {
  const std::lock_guard lock(mutex_);
  if (stream_ != nullptr || !accepts_json_) {
    // A stream has a buffer, and what is larger than that would never arrive.
    stream().send(answer.message.size() <= kMostStreamed
                      ? answer.message
                      : mcp::error_message(request_id_, {mcp::kInternalError,
                                                         "the answer is too large for a stream: ask without a progress "
                                                         "token, accept application/json, or read the resource"}));
    return stream_->finish();
  }
  http::Response response = json_answer(status_of(answer, session_ == nullptr), std::move(answer.message));
  if (is_new_) {
    response.headers.set("Mcp-Session-Id", session_->id);
  }
  call_->respond(std::move(response));
}

void HttpChannel::leave_unanswered() {
  const std::lock_guard lock(mutex_);
  if (stream_ != nullptr || accepts_events_) {
    (void)stream();
    return stream_->finish();
  }
  http::Response response;
  response.status = 202;
  call_->respond(std::move(response));
}

void HttpChannel::pause() {
  const std::lock_guard lock(mutex_);
  if (stream_ != nullptr) {
    stream_->pause();
  }
}

}  // namespace glovebox::server

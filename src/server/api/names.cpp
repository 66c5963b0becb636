#include "server/api/names.h"

#include <algorithm>

#include "server/api/answers.h"

namespace glovebox::server {
namespace {

constexpr std::size_t kMaxIdBytes = 60;
constexpr std::size_t kMaxTaskBytes = 128;

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }
bool is_small_letter(char byte) { return byte >= 'a' && byte <= 'z'; }
bool is_letter(char byte) { return is_small_letter(byte) || (byte >= 'A' && byte <= 'Z'); }

bool is_id(std::string_view text, std::string_view start) {
  if (!text.starts_with(start)) {
    return false;
  }
  text.remove_prefix(start.size());
  return !text.empty() && text.size() <= kMaxIdBytes &&
         std::all_of(text.begin(), text.end(), [](char byte) { return is_digit(byte) || is_small_letter(byte); });
}

// The media type alone, without parameters.
std::string_view media_type(std::string_view value) {
  value = value.substr(0, value.find(';'));
  while (!value.empty() && value.back() == ' ') {
    value.remove_suffix(1);
  }
  return value;
}

}  // namespace

bool is_run_id(std::string_view text) { return is_id(text, "run_"); }

bool is_approval_id(std::string_view text) { return is_id(text, "appr_"); }

bool is_task_id(std::string_view text) {
  constexpr std::string_view kMarks = "._:/-";
  return !text.empty() && text.size() <= kMaxTaskBytes && (is_letter(text.front()) || is_digit(text.front())) &&
         std::all_of(text.begin(), text.end(), [&](char byte) {
           return is_letter(byte) || is_digit(byte) || kMarks.find(byte) != std::string_view::npos;
         });
}

bool wants_events(const http::Headers& headers) {
  for (const std::string_view value : headers.all("Accept")) {
    std::string_view rest = value;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      std::string_view one = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      while (!one.empty() && one.front() == ' ') {
        one.remove_prefix(1);
      }
      if (http::equal_ignoring_case(media_type(one), "text/event-stream")) {
        return true;
      }
    }
  }
  return false;
}

std::optional<http::Response> refuse_other_than_json(const http::Request& request) {
  if (http::equal_ignoring_case(media_type(request.headers.get("Content-Type")), "application/json")) {
    return std::nullopt;
  }
  return problem(Problem(415, "unsupported_media_type", "The body is not of a type that is read here.",
                         "send the header Content-Type: application/json"));
}

bool is_same_origin(const http::Headers& headers) {
  const auto origins = headers.all("Origin");
  if (origins.empty()) {
    return headers.get("Sec-Fetch-Site") != "cross-site";
  }
  const std::string_view origin = origins.front();
  const std::size_t scheme = origin.find("://");
  return origins.size() == 1 && scheme != origin.npos &&
         http::equal_ignoring_case(origin.substr(scheme + 3), headers.get("Host"));
}

}  // namespace glovebox::server

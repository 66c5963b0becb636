#include "server/http/response_head.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "server/http/grammar.h"
#include "server/http/problem.h"

namespace glovebox::http {
namespace {

constexpr std::array<std::string_view, 6> kServersOwn = {
    "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Date", "Server"};

bool is_servers_own(std::string_view name) {
  return std::any_of(kServersOwn.begin(), kServersOwn.end(),
                     [&](std::string_view own) { return equal_ignoring_case(own, name); });
}

void append_number(std::string& text, std::uint64_t number, int base = 10) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base);
  text.append(digits.data(), end.ptr);
}

}  // namespace

bool is_sendable(int status, const Headers& headers) {
  return status >= 200 && status <= 599 &&
         std::all_of(headers.fields().begin(), headers.fields().end(),
                     [](const Headers::Field& field) { return is_token(field.first) && is_field_value(field.second); });
}

std::string format_head(int status, const Headers& headers, const HeadForm& form, std::string_view date) {
  std::string head;
  head.reserve(256);
  head.append("HTTP/1.1 ");
  append_number(head, static_cast<std::uint64_t>(status));
  head.append(" ").append(reason_phrase(status)).append("\r\n");
  for (const auto& [name, value] : headers.fields()) {
    if (!is_servers_own(name)) {
      head.append(name).append(": ").append(value).append("\r\n");
    }
  }
  if (form.body == ResponseBody::sized) {
    head.append("Content-Length: ");
    append_number(head, form.length);
    head.append("\r\n");
  } else if (form.body == ResponseBody::chunked) {
    head.append("Transfer-Encoding: chunked\r\n");
  }
  if (!form.keep_alive) {
    head.append("Connection: close\r\n");
  } else if (form.minor_version == 0) {
    head.append("Connection: keep-alive\r\n");
  }
  return head.append("Date: ").append(date).append("\r\nServer: glovebox\r\n\r\n");
}

std::string format_date(std::time_t time) {
  // Not strftime: its names follow the locale.
  constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  std::string text;
  const auto append_two = [&](int number) {
    text.push_back(static_cast<char>('0' + number / 10));
    text.push_back(static_cast<char>('0' + number % 10));
  };
  text.append(kDays.at(static_cast<std::size_t>(parts.tm_wday))).append(", ");
  append_two(parts.tm_mday);
  text.append(" ").append(kMonths.at(static_cast<std::size_t>(parts.tm_mon))).append(" ");
  append_number(text, 1900U + static_cast<std::uint64_t>(parts.tm_year));
  text.append(" ");
  append_two(parts.tm_hour);
  text.append(":");
  append_two(parts.tm_min);
  text.append(":");
  append_two(parts.tm_sec);
  return text.append(" GMT");
}

std::string_view current_date() {
  thread_local std::time_t second = 0;
  thread_local std::string text;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (now.tv_sec != second) {
    second = now.tv_sec;
    text = format_date(second);
  }
  return text;
}

std::string format_chunk(std::string_view bytes) {
  std::string chunk;
  chunk.reserve(bytes.size() + 12);
  append_number(chunk, bytes.size(), 16);
  return chunk.append("\r\n").append(bytes).append("\r\n");
}

}  // namespace glovebox::http

#include "base/timestamp.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace glovebox::base {
namespace {

using std::chrono::milliseconds;
using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kMinuteMs = 60'000;
constexpr std::int64_t kSecondMs = 1000;
constexpr std::size_t kMaxFractionDigits = 9;

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

// Whether the text begins with this shape, in which every 0 stands for a digit.
bool has_shape(std::string_view text, std::string_view shape) {
  return text.size() >= shape.size() && std::equal(shape.begin(), shape.end(), text.begin(), [](char want, char have) {
           return want == '0' ? is_digit(have) : want == have;
         });
}

int number(std::string_view digits) {
  int value = 0;
  for (const char digit : digits) {
    value = value * 10 + (digit - '0');
  }
  return value;
}

// ".5" is 500; takes it from the front of `text`. Below a millisecond is cut.
std::optional<std::int64_t> take_fraction_ms(std::string_view& text) {
  if (!text.starts_with('.')) {
    return 0;
  }
  text.remove_prefix(1);
  std::size_t digits = 0;
  std::int64_t value = 0;
  for (; digits < text.size() && is_digit(text[digits]); ++digits) {
    value = digits < 3 ? value * 10 + (text[digits] - '0') : value;
  }
  if (digits == 0 || digits > kMaxFractionDigits) {
    return std::nullopt;
  }
  text.remove_prefix(digits);
  for (; digits < 3; ++digits) {
    value *= 10;
  }
  return value;
}

std::optional<std::int64_t> offset_ms(std::string_view text) {
  if (text == "Z" || text == "z") {
    return 0;
  }
  if (text.size() != 6 || !(has_shape(text, "+00:00") || has_shape(text, "-00:00"))) {
    return std::nullopt;
  }
  const int hours = number(text.substr(1, 2));
  const int minutes = number(text.substr(4, 2));
  if (hours > 23 || minutes > 59) {
    return std::nullopt;
  }
  return (text[0] == '-' ? -1 : 1) * (hours * kHourMs + minutes * kMinuteMs);
}

}  // namespace

std::string format_timestamp_ms(std::int64_t unix_ms) {
  const auto day = std::chrono::floor<std::chrono::days>(milliseconds(unix_ms));
  const year_month_day date{sys_days(day)};
  const std::int64_t ms = unix_ms - day.count() * kDayMs;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), ms / kHourMs,
                     ms / kMinuteMs % 60, ms / kSecondMs % 60, ms % kSecondMs);
}

std::optional<std::int64_t> parse_timestamp_ms(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00T00:00:00";
  if (!has_shape(text, kShape)) {
    return std::nullopt;
  }
  const year_month_day date{std::chrono::year(number(text.substr(0, 4))),
                            std::chrono::month(static_cast<unsigned>(number(text.substr(5, 2)))),
                            std::chrono::day(static_cast<unsigned>(number(text.substr(8, 2))))};
  const int hour = number(text.substr(11, 2));
  const int minute = number(text.substr(14, 2));
  const int second = number(text.substr(17, 2));
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) {  // 60: a leap second
    return std::nullopt;
  }
  text.remove_prefix(kShape.size());
  const auto fraction = take_fraction_ms(text);
  const auto offset = offset_ms(text);
  if (!fraction || !offset) {
    return std::nullopt;
  }
  const std::int64_t days = sys_days(date).time_since_epoch().count();
  return days * kDayMs + hour * kHourMs + minute * kMinuteMs + second * kSecondMs + *fraction - *offset;
}

}  // namespace glovebox::base

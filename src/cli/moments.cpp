#include "cli/moments.h"

#include <algorithm>

#include "base/timestamp.h"
#include "base/units.h"

namespace glovebox::cli {
namespace {

using base::ErrorCode;
using base::fail;
using base::make_error;
using base::Result;

constexpr std::int64_t kSecondMs = 1000;
constexpr std::int64_t kMinuteMs = 60 * kSecondMs;
constexpr std::int64_t kHourMs = 60 * kMinuteMs;
constexpr std::int64_t kDayMs = 24 * kHourMs;
constexpr std::int64_t kMostSpanMs = 36'525 * kDayMs;

base::Error not_a_moment(std::string_view text) {
  return make_error(ErrorCode::invalid_request, "\"" + std::string(text) + "\" is neither a span nor a moment")
      .with_hint("write it like 30m, 2h or 90d, or like 2025-11-16T02:03:04Z");
}

}  // namespace

Result<std::int64_t> parse_span_ms(std::string_view text) {
  // The other units are those of a run's limits, where days would be odd.
  const std::uint64_t factor = text.ends_with('d') ? 24U : text.ends_with('w') ? 7U * 24U : 1U;
  const std::string typed = factor == 1 ? std::string(text) : std::string(text.substr(0, text.size() - 1)) + "h";
  const auto ms = base::parse_duration_ms(typed);
  if (!ms || *ms > static_cast<std::uint64_t>(kMostSpanMs) / factor) {
    return fail(make_error(ErrorCode::invalid_request, "\"" + std::string(text) + "\" is not a span of time")
                    .with_hint("write it like 30m, 2h, 90d or 4w"));
  }
  return static_cast<std::int64_t>(*ms * factor);
}

Result<std::int64_t> parse_past_ms(std::string_view text, std::int64_t now_ms) {
  if (const auto moment = base::parse_timestamp_ms(text); moment) {
    return *moment;
  }
  const auto span = parse_span_ms(text);
  if (!span) {
    return fail(not_a_moment(text));
  }
  return now_ms - *span;
}

Result<std::int64_t> parse_future_ms(std::string_view text, std::int64_t now_ms) {
  if (const auto moment = base::parse_timestamp_ms(text); moment) {
    if (*moment <= now_ms) {
      return fail(ErrorCode::invalid_request, std::string(text) + " has passed");
    }
    return *moment;
  }
  const auto span = parse_span_ms(text);
  if (!span) {
    return fail(not_a_moment(text));
  }
  if (*span == 0) {
    return fail(ErrorCode::invalid_request, "a span of zero has passed already");
  }
  return now_ms + *span;
}

std::string format_span(std::int64_t ms) {
  ms = std::max<std::int64_t>(ms, 0);
  if (ms < kMinuteMs) {
    return std::to_string(ms / kSecondMs) + " s";
  }
  if (ms < kHourMs) {
    return std::to_string(ms / kMinuteMs) + " min";
  }
  if (ms < 2 * kDayMs) {
    return std::to_string(ms / kHourMs) + " h";
  }
  return std::to_string(ms / kDayMs) + " d";
}

std::string format_ago(std::int64_t then_ms, std::int64_t now_ms) { return format_span(now_ms - then_ms) + " ago"; }

void write_time(contract::JsonWriter& json, std::string_view name, std::optional<std::int64_t> unix_ms) {
  json.string_or_null(name, unix_ms ? base::format_timestamp_ms(*unix_ms) : "");
}

}  // namespace glovebox::cli

#include "server/api/query.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/timestamp.h"
#include "contract/request_rules.h"
#include "server/api/answers.h"
#include "server/api/names.h"

namespace glovebox::server {
namespace {

constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kDayMs = 24 * kHourMs;
constexpr std::int64_t kMostBuckets = 10'000;

using Refused = std::optional<http::Response>;

bool is_listed(std::string_view name, std::string_view words) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == name) {
      return true;
    }
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

Refused read_time(const http::Request& request, const char* name, std::optional<std::int64_t>& into) {
  if (const std::string* text = request.query_value(name); text != nullptr) {
    into = base::parse_timestamp_ms(*text);
    if (!into) {
      return bad_request(name, "a time looks like 2026-01-31T12:00:00Z");
    }
  }
  return std::nullopt;
}

Refused read_words(const http::Request& request, records::RunFilter& filter) {
  if (const std::string* text = request.query_value("outcome"); text != nullptr) {
    filter.outcome = contract::parse_outcome(*text);
    if (!filter.outcome) {
      return bad_request("outcome", "there is no such outcome");
    }
  }
  if (const std::string* text = request.query_value("state"); text != nullptr) {
    filter.state = records::parse_run_state(*text);
    if (!filter.state || *filter.state == records::RunState::waiting) {
      return bad_request("state", "a state is running, finished or interrupted; /v1/approvals lists what waits");
    }
  }
  if (const std::string* text = request.query_value("language"); text != nullptr) {
    if (!contract::is_language_name(*text)) {
      return bad_request("language", "this is no language's name");
    }
    filter.language = *text;
  }
  if (const std::string* text = request.query_value("task"); text != nullptr) {
    if (!is_task_id(*text)) {
      return bad_request("task", "this is no task's name");
    }
    filter.task_id = *text;
  }
  return std::nullopt;
}

}  // namespace

Refused check_query(const http::Request& request, std::string_view known) {
  std::set<std::string_view> seen;
  for (const auto& [name, value] : request.query) {
    if (!is_listed(name, known)) {
      return bad_request(name, "there is no such parameter");
    }
    if (!seen.insert(name).second) {
      return bad_request(name, "the parameter is given twice");
    }
  }
  return std::nullopt;
}

Refused read_limit(const http::Request& request, std::size_t& limit) {
  if (const std::string* text = request.query_value("limit"); text != nullptr) {
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), limit);
    if (error != std::errc() || end != text->data() + text->size() || limit < 1 || limit > records::kMaxPageRuns) {
      return bad_request("limit", "limit is a whole number from 1 to " + std::to_string(records::kMaxPageRuns));
    }
  }
  return std::nullopt;
}

tl::expected<RunsQuery, http::Response> read_runs_query(const http::Request& request) {
  RunsQuery query;
  Refused refused = read_limit(request, query.limit);
  refused = refused ? std::move(refused) : read_words(request, query.filter);
  refused = refused ? std::move(refused) : read_time(request, "since", query.filter.since_ms);
  refused = refused ? std::move(refused) : read_time(request, "until", query.filter.until_ms);
  if (refused) {
    return tl::unexpected(std::move(*refused));
  }
  if (const std::string* cursor = request.query_value("cursor"); cursor != nullptr) {
    if (cursor->empty()) {
      return tl::unexpected(bad_request("cursor", "not a cursor of a list of runs"));
    }
    query.cursor = *cursor;
  }
  return query;
}

tl::expected<UsageQuery, http::Response> read_usage_query(const http::Request& request, std::int64_t now_ms) {
  std::optional<std::int64_t> from;
  std::optional<std::int64_t> to;
  Refused refused = read_time(request, "from", from);
  refused = refused ? std::move(refused) : read_time(request, "to", to);
  if (refused) {
    return tl::unexpected(std::move(*refused));
  }
  UsageQuery query;
  query.bucket_ms = kHourMs;
  if (const std::string* bucket = request.query_value("bucket"); bucket != nullptr) {
    if (*bucket != "hour" && *bucket != "day") {
      return tl::unexpected(bad_request("bucket", "a bucket is an hour or a day"));
    }
    query.bucket_ms = *bucket == "day" ? kDayMs : kHourMs;
  }
  query.end_ms = to.value_or(now_ms + 1);
  query.begin_ms = from.value_or(query.end_ms - kDayMs);
  if (query.begin_ms > query.end_ms || (query.end_ms - query.begin_ms) / query.bucket_ms > kMostBuckets) {
    return tl::unexpected(bad_request("from", "from must lie before to, and at most 10,000 buckets apart"));
  }
  // A bucket begins with a whole hour, or with a day of UTC; nothing is recorded from before 1970.
  query.begin_ms = std::max<std::int64_t>(query.begin_ms, 0);
  query.begin_ms -= query.begin_ms % query.bucket_ms;
  return query;
}

}  // namespace glovebox::server

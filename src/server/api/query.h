// What the query of a call asks for. Nothing is silently ignored, and nothing may be said twice (C3).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "records/store.h"
#include "server/http/message.h"

namespace glovebox::server {

// Refuses names that are not in `known`, which has blanks between them.
[[nodiscard]] std::optional<http::Response> check_query(const http::Request& request, std::string_view known);

// How many on a page; left as it is when the query does not say.
[[nodiscard]] std::optional<http::Response> read_limit(const http::Request& request, std::size_t& limit);

struct RunsQuery {
  records::RunFilter filter;
  std::string cursor;
  std::size_t limit = 50;
};
[[nodiscard]] tl::expected<RunsQuery, http::Response> read_runs_query(const http::Request& request);

struct UsageQuery {
  std::int64_t begin_ms = 0;
  std::int64_t end_ms = 0;
  std::int64_t bucket_ms = 0;
};
[[nodiscard]] tl::expected<UsageQuery, http::Response> read_usage_query(const http::Request& request,
                                                                        std::int64_t now_ms);

}  // namespace glovebox::server

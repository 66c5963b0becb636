// What a request asks for: the target of its first line, taken apart.
//
// Split first, decode second, once: "%2F" ends inside a segment and "%252F" stays "%2F". What could mean one thing here
// and another thing behind us (dot segments, empty segments, control characters, bytes that are not UTF-8, a broken
// escape) is refused, not repaired.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "server/http/problem.h"

namespace glovebox::http {

struct Target {
  std::string authority;  // of the absolute form, "http://host:port/path"; else ""
  std::vector<std::string> path;
  std::vector<std::pair<std::string, std::string>> query;

  bool operator==(const Target&) const = default;
};

// Origin form, absolute form with http, and "*" for OPTIONS (an empty path).
[[nodiscard]] tl::expected<Target, Refusal> parse_target(std::string_view method, std::string_view target);

enum class PlusSign { literal, space };
// Decodes escapes once. Refuses a broken escape, control characters, and what is not UTF-8.
[[nodiscard]] tl::expected<std::string, Refusal> percent_decode(std::string_view text, PlusSign plus);

}  // namespace glovebox::http

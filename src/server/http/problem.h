// Errors on the wire: application/problem+json (RFC 9457) with a stable code beside the members of the standard.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "server/http/message.h"

namespace glovebox::http {

// What this folder refuses, before any handler sees it.
struct Refusal {
  int status = 400;
  std::string_view code = "invalid_request";  // static storage
  std::string detail;

  bool operator==(const Refusal&) const = default;
};

// Bytes that are not the HTTP we accept.
[[nodiscard]] inline Refusal malformed(std::string detail) {
  return Refusal{400, "invalid_request", std::move(detail)};
}

// "Not Found"; "Unknown" for a status that has no name.
[[nodiscard]] std::string_view reason_phrase(int status);

// {"type": "about:blank", "title": "<reason phrase>", "status", "detail", "code"}
[[nodiscard]] Response problem(int status, std::string_view code, std::string_view detail);
[[nodiscard]] Response problem(const Refusal& refusal);

}  // namespace glovebox::http

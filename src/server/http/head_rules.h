// What a head must look like before it is parsed, and what its fields must say about the body that follows.
//
// Beast's parser is kind to old habits: it unfolds folded lines and takes a list of equal lengths. Kindness is what
// request smuggling lives on: two servers that read the same bytes differently. So the raw bytes are checked first,
// line by line as they arrive, and everything that a strict reading of RFC 9112 forbids ends the connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "server/http/message.h"
#include "server/http/problem.h"

namespace glovebox::http {

struct HeadLimits {
  std::size_t head_bytes = 16U << 10U;
  std::size_t header_fields = 100;
  std::size_t target_bytes = 8U << 10U;
};

enum class HeadKind { request, response };

// Finds the end of a head in a buffer that grows.
class HeadScanner {
 public:
  HeadScanner(HeadKind kind, HeadLimits limits) : kind_(kind), limits_(limits) {}

  // `buffered` is everything from the head's first byte on. Returns the head's length with its empty line, or 0 if more
  // is needed.
  [[nodiscard]] tl::expected<std::size_t, Refusal> scan(std::string_view buffered);

 private:
  [[nodiscard]] std::optional<Refusal> check_line(std::string_view line);
  [[nodiscard]] std::optional<Refusal> check_size(std::size_t buffered_bytes) const;

  HeadKind kind_;
  HeadLimits limits_;
  std::size_t scanned_ = 0;
  std::size_t line_start_ = 0;
  std::size_t lines_ = 0;
};

// Method, target and version of a request's first line; 400, 414, 501 or 505.
[[nodiscard]] std::optional<Refusal> check_request_line(std::string_view line, std::size_t max_target_bytes);

struct Framing {
  bool chunked = false;
  std::uint64_t content_length = 0;
  bool expects_continue = false;
  bool keep_alive = false;

  [[nodiscard]] bool has_body() const { return chunked || content_length > 0; }
};
// Where the message ends and whether another may follow.
[[nodiscard]] tl::expected<Framing, Refusal> request_framing(const Headers& headers, int minor_version);

}  // namespace glovebox::http

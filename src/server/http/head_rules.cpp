#include "server/http/head_rules.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "server/http/grammar.h"

namespace glovebox::http {
namespace {

constexpr std::array<std::string_view, 7> kMethods = {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"};
constexpr std::size_t kLongestMethod = 32;

Refusal target_too_long() { return Refusal{414, "target_too_long", "the request target is too long"}; }
Refusal fields_too_large() { return Refusal{431, "headers_too_large", "the header fields are too large or too many"}; }

std::optional<Refusal> check_field_line(std::string_view line) {
  if (line.front() == ' ' || line.front() == '\t') {
    return malformed("a header field is continued on a second line");
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
    return malformed("a header line has no name before its colon, or a space in it");
  }
  return std::nullopt;
}

std::optional<std::uint64_t> parse_length(std::string_view text) {
  constexpr std::size_t kMaxDigits = 18;  // cannot overflow
  if (text.empty() || text.size() > kMaxDigits || !std::all_of(text.begin(), text.end(), is_digit)) {
    return std::nullopt;
  }
  std::uint64_t length = 0;
  std::from_chars(text.data(), text.data() + text.size(), length);
  return length;
}

}  // namespace

tl::expected<std::size_t, Refusal> HeadScanner::scan(std::string_view buffered) {
  while (scanned_ < buffered.size()) {
    const char byte = buffered[scanned_];
    const bool after_cr = scanned_ > line_start_ && buffered[scanned_ - 1] == '\r';
    if ((byte == '\n') != after_cr) {
      return tl::unexpected<Refusal>(malformed("a line does not end in CR LF"));
    }
    if (is_control(byte) && byte != '\t' && byte != '\r' && byte != '\n') {
      return tl::unexpected<Refusal>(malformed("the head holds a control character"));
    }
    ++scanned_;
    if (byte != '\n') {
      continue;
    }
    const std::string_view line = buffered.substr(line_start_, scanned_ - 2 - line_start_);
    line_start_ = scanned_;
    if (line.empty() && lines_ > 0) {
      if (scanned_ > limits_.head_bytes) {
        return tl::unexpected<Refusal>(fields_too_large());
      }
      return scanned_;
    }
    if (auto refusal = check_line(line); refusal.has_value()) {
      return tl::unexpected<Refusal>(std::move(*refusal));
    }
    ++lines_;
  }
  if (auto refusal = check_size(buffered.size()); refusal.has_value()) {
    return tl::unexpected<Refusal>(std::move(*refusal));
  }
  return 0;
}

std::optional<Refusal> HeadScanner::check_line(std::string_view line) {
  if (lines_ == 0) {
    return kind_ == HeadKind::request ? check_request_line(line, limits_.target_bytes) : std::nullopt;
  }
  if (lines_ > limits_.header_fields) {
    return fields_too_large();
  }
  return check_field_line(line);
}

std::optional<Refusal> HeadScanner::check_size(std::size_t buffered_bytes) const {
  if (lines_ == 0 && kind_ == HeadKind::request && buffered_bytes > limits_.target_bytes + kLongestMethod) {
    return target_too_long();
  }
  if (buffered_bytes >= limits_.head_bytes) {
    return fields_too_large();
  }
  return std::nullopt;
}

std::optional<Refusal> check_request_line(std::string_view line, std::size_t max_target_bytes) {
  if (line.size() > max_target_bytes + kLongestMethod) {
    return target_too_long();
  }
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last || line.find('\t') != std::string_view::npos) {
    return malformed("the request line is not a method, a target and a version");
  }
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!is_token(method) || target.empty() || target.find(' ') != std::string_view::npos) {
    return malformed("the request line is not a method, a target and a version");
  }
  constexpr std::string_view kProtocol = "HTTP/";
  if (version.size() != kProtocol.size() + 3 || !version.starts_with(kProtocol) || !is_digit(version[5]) ||
      version[6] != '.' || !is_digit(version[7])) {
    return malformed("the request line does not end in a version of HTTP");
  }
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return Refusal{505, "http_version_unsupported", "this server speaks HTTP/1.1 and HTTP/1.0"};
  }
  if (target.size() > max_target_bytes) {
    return target_too_long();
  }
  if (std::find(kMethods.begin(), kMethods.end(), method) == kMethods.end()) {
    return Refusal{501, "method_not_implemented", "the method is not one that this server knows"};
  }
  return std::nullopt;
}

tl::expected<Framing, Refusal> request_framing(const Headers& headers, int minor_version) {
  const auto refuse = [](Refusal refusal) { return tl::unexpected<Refusal>(std::move(refusal)); };
  const auto encodings = headers.all("Transfer-Encoding");
  const auto lengths = headers.all("Content-Length");
  const auto hosts = headers.all("Host");
  Framing framing;
  if (!encodings.empty()) {
    if (encodings.size() > 1 || !lengths.empty() || minor_version == 0) {
      return refuse(malformed("the length of the body is told in two ways"));
    }
    if (!equal_ignoring_case(encodings.front(), "chunked")) {
      return refuse({501, "transfer_encoding_not_implemented", "the only transfer encoding here is chunked"});
    }
    framing.chunked = true;
  }
  if (!lengths.empty()) {
    const std::optional<std::uint64_t> length = parse_length(lengths.front());
    if (lengths.size() > 1 || !length.has_value()) {
      return refuse(malformed("Content-Length is not one number"));
    }
    framing.content_length = *length;
  }
  if (hosts.size() > 1 || (hosts.empty() && minor_version == 1)) {
    return refuse(malformed("a request has one Host field"));
  }
  if (minor_version == 1 && headers.contains("Expect")) {
    if (!equal_ignoring_case(headers.get("Expect"), "100-continue")) {
      return refuse({417, "expectation_failed", "the only expectation here is 100-continue"});
    }
    framing.expects_continue = framing.has_body();
  }
  framing.keep_alive =
      minor_version == 1 ? !headers.has_token("Connection", "close") : headers.has_token("Connection", "keep-alive");
  return framing;
}

}  // namespace glovebox::http

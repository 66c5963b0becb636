#include "server/http/target.h"

#include <algorithm>

#include "base/utf8.h"
#include "server/http/client.h"
#include "server/http/grammar.h"

namespace glovebox::http {
namespace {

constexpr std::size_t kMaxSegments = 256;
constexpr std::size_t kMaxParameters = 256;

tl::unexpected<Refusal> bad_target(std::string detail) {
  return tl::unexpected<Refusal>(Refusal{400, "invalid_request", std::move(detail)});
}

tl::expected<std::vector<std::string>, Refusal> parse_path(std::string_view path) {
  std::vector<std::string> segments;
  path.remove_prefix(1);  // the leading "/"
  if (path.empty()) {
    return segments;
  }
  while (true) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    auto segment = percent_decode(path.substr(0, slash), PlusSign::literal);
    if (!segment.has_value()) {
      return tl::unexpected<Refusal>(std::move(segment.error()));
    }
    if (segment->empty() || *segment == "." || *segment == "..") {
      return bad_target("the path has an empty segment, \".\" or \"..\"");
    }
    segments.push_back(std::move(*segment));
    if (segments.size() > kMaxSegments) {
      return bad_target("the path has too many segments");
    }
    if (slash == path.size()) {
      return segments;
    }
    path.remove_prefix(slash + 1);
  }
}

tl::expected<std::vector<std::pair<std::string, std::string>>, Refusal> parse_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> parameters;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view parameter = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (parameter.empty()) {
      continue;
    }
    const std::size_t equals = std::min(parameter.find('='), parameter.size());
    auto name = percent_decode(parameter.substr(0, equals), PlusSign::space);
    auto value = percent_decode(parameter.substr(std::min(equals + 1, parameter.size())), PlusSign::space);
    if (!name.has_value() || !value.has_value()) {
      return tl::unexpected<Refusal>(std::move(name.has_value() ? value.error() : name.error()));
    }
    if (parameters.size() == kMaxParameters) {
      return bad_target("the query has too many parameters");
    }
    parameters.emplace_back(std::move(*name), std::move(*value));
  }
  return parameters;
}

// What RFC 3986 lets stand unescaped in a path or a query. The rest has no business in a request line.
bool is_target_character(char byte) {
  return is_letter(byte) || is_digit(byte) ||
         (byte != '\0' && std::string_view("-._~!$&'()*+,;=:@/?%[]|{}^\"\\`<>").find(byte) != std::string_view::npos);
}

}  // namespace

tl::expected<std::string, Refusal> percent_decode(std::string_view text, PlusSign plus) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t index = 0; index < text.size(); ++index) {
    char byte = text[index];
    if (byte == '%') {
      const int high = index + 1 < text.size() ? hex_value(text[index + 1]) : -1;
      const int low = index + 2 < text.size() ? hex_value(text[index + 2]) : -1;
      if (high < 0 || low < 0) {
        return bad_target("a percent sign is not followed by two hexadecimal digits");
      }
      byte = static_cast<char>(high * 16 + low);
      index += 2;
    } else if (byte == '+' && plus == PlusSign::space) {
      byte = ' ';
    }
    if (is_control(byte)) {
      return bad_target("the target holds a control character");
    }
    decoded.push_back(byte);
  }
  if (!base::is_valid_utf8(decoded)) {
    return bad_target("the target is not UTF-8");
  }
  return decoded;
}

tl::expected<Target, Refusal> parse_target(std::string_view method, std::string_view target) {
  Target parsed;
  if (target == "*") {
    if (method != "OPTIONS") {
      return bad_target("the target * is for OPTIONS only");
    }
    return parsed;
  }
  if (!std::all_of(target.begin(), target.end(), is_target_character)) {
    return bad_target("the target holds a character that has to be percent-encoded");
  }
  constexpr std::string_view kScheme = "http://";
  if (equal_ignoring_case(target.substr(0, kScheme.size()), kScheme)) {
    target.remove_prefix(kScheme.size());
    const std::size_t end = std::min(target.find_first_of("/?"), target.size());
    parsed.authority = target.substr(0, end);
    target.remove_prefix(end);
    if (parsed.authority.empty()) {
      return bad_target("the target names no host");
    }
    if (target.empty()) {
      target = "/";
    }
  }
  if (target.empty() || target.front() != '/') {
    return bad_target("the target does not begin with a slash");
  }
  const std::size_t question = std::min(target.find('?'), target.size());
  auto path = parse_path(target.substr(0, question));
  auto query = parse_query(target.substr(std::min(question + 1, target.size())));
  if (!path.has_value() || !query.has_value()) {
    return tl::unexpected<Refusal>(std::move(path.has_value() ? query.error() : path.error()));
  }
  parsed.path = std::move(*path);
  parsed.query = std::move(*query);
  return parsed;
}

std::string encode_segment(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string encoded;
  encoded.reserve(text.size());
  for (const char byte : text) {
    if (is_letter(byte) || is_digit(byte) || byte == '-' || byte == '.' || byte == '_' || byte == '~') {
      encoded.push_back(byte);
    } else {
      const auto value = static_cast<unsigned char>(byte);
      encoded.push_back('%');
      encoded.push_back(kHex[value >> 4U]);
      encoded.push_back(kHex[value & 0xFU]);
    }
  }
  return encoded;
}

}  // namespace glovebox::http

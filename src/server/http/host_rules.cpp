#include "server/http/host_rules.h"

#include <algorithm>

#include "server/http/grammar.h"

namespace glovebox::http {
namespace {

bool is_port(std::string_view text) {
  constexpr std::size_t kMaxDigits = 5;
  return text.size() <= kMaxDigits && std::all_of(text.begin(), text.end(), is_digit);
}

bool is_name_character(char byte) {
  return is_letter(byte) || is_digit(byte) || byte == '-' || byte == '.' || byte == '_';
}

bool is_address6_character(char byte) { return hex_value(byte) >= 0 || byte == ':' || byte == '.'; }

}  // namespace

std::optional<std::string> host_of(std::string_view authority) {
  std::string_view host;
  std::string_view rest;
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    host = authority.substr(1, end - 1);
    rest = authority.substr(end + 1);
    if (!std::all_of(host.begin(), host.end(), is_address6_character)) {
      return std::nullopt;
    }
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    host = authority.substr(0, colon);
    rest = authority.substr(colon);
    if (!std::all_of(host.begin(), host.end(), is_name_character)) {
      return std::nullopt;
    }
  }
  if (host.empty() || (!rest.empty() && (rest.front() != ':' || !is_port(rest.substr(1))))) {
    return std::nullopt;
  }
  std::string name(host);
  std::transform(name.begin(), name.end(), name.begin(), to_lower);
  return name;
}

bool host_allowed(std::string_view authority, const Peer& peer, const std::vector<std::string>& allowed_hosts) {
  if (peer.is_unix_socket) {
    return true;
  }
  const std::optional<std::string> host = host_of(authority);
  if (!host.has_value()) {
    return false;
  }
  if (peer.is_loopback && (*host == "localhost" || *host == "127.0.0.1" || *host == "::1")) {
    return true;
  }
  if (allowed_hosts.empty()) {
    return !peer.is_loopback;
  }
  return std::any_of(allowed_hosts.begin(), allowed_hosts.end(), [&](const std::string& allowed) {
    return allowed == "*" || equal_ignoring_case(allowed, *host) || equal_ignoring_case(allowed, "[" + *host + "]");
  });
}

}  // namespace glovebox::http

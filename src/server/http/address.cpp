#include "server/http/address.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "server/http/grammar.h"

namespace glovebox::http {
namespace {

using base::ErrorCode;
using base::fail;
using base::Result;

tl::unexpected<base::Error> bad_address(std::string_view text) {
  return fail(base::make_error(ErrorCode::invalid_request, "not an address: " + std::string(text))
                  .with_hint("use 127.0.0.1:7070, [::1]:7070, localhost:7070 or unix:/path/to/socket"));
}

// Copies through memcpy: sockaddr types alias sockaddr_storage by tradition, not by the rules of the language.
template <typename Raw>
Address make_address(const Raw& raw, socklen_t length = sizeof(Raw)) {
  Address address;
  std::memcpy(&address.storage, &raw, sizeof(raw));
  address.length = length;
  return address;
}

template <typename Raw>
Raw raw_of(const Address& address) {
  Raw raw{};
  std::memcpy(&raw, &address.storage, sizeof(raw));
  return raw;
}

Result<Address> parse_unix(std::string_view path, std::string_view text) {
  if (path.empty() || path.size() >= PATH_MAX || path.ends_with('/') || path.find('\0') != std::string_view::npos) {
    return bad_address(text);
  }
  Address address;
  address.path = path;
  return address;
}

std::string ip_text(int family, const void* bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  return ::inet_ntop(family, bytes, text.data(), text.size()) != nullptr ? text.data() : "";
}

bool is_loopback4(in_addr ip) { return (ntohl(ip.s_addr) >> 24U) == 127; }

bool is_loopback6(const in6_addr& ip) {
  constexpr std::size_t kMappedPrefix = 12;
  return IN6_IS_ADDR_LOOPBACK(&ip) || (IN6_IS_ADDR_V4MAPPED(&ip) && ip.s6_addr[kMappedPrefix] == 127);
}

}  // namespace

Result<Address> parse_address(std::string_view text) {
  constexpr std::string_view kUnix = "unix:";
  constexpr std::string_view kScheme = "http://";
  if (text.starts_with(kUnix)) {
    return parse_unix(text.substr(kUnix.size()), text);
  }
  std::string_view rest = text;
  if (rest.starts_with(kScheme)) {
    rest.remove_prefix(kScheme.size());
  }
  if (rest.ends_with('/')) {
    rest.remove_suffix(1);
  }
  const std::size_t colon = rest.rfind(':');
  if (colon == std::string_view::npos) {
    return bad_address(text);
  }
  std::string host(rest.substr(0, colon));
  const std::string_view digits = rest.substr(colon + 1);
  std::uint16_t port = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (digits.empty() || parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) {
    return bad_address(text);
  }
  if (host.starts_with('[') && host.ends_with(']')) {
    sockaddr_in6 raw{};
    raw.sin6_family = AF_INET6;
    raw.sin6_port = htons(port);
    if (::inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &raw.sin6_addr) != 1) {
      return bad_address(text);
    }
    return make_address(raw);
  }
  sockaddr_in raw{};
  raw.sin_family = AF_INET;
  raw.sin_port = htons(port);
  if (::inet_pton(AF_INET, host == "localhost" ? "127.0.0.1" : host.c_str(), &raw.sin_addr) != 1) {
    return bad_address(text);
  }
  return make_address(raw);
}

std::string to_string(const Address& address) {
  if (address.family() == AF_INET) {
    const auto raw = raw_of<sockaddr_in>(address);
    return ip_text(AF_INET, &raw.sin_addr) + ":" + std::to_string(ntohs(raw.sin_port));
  }
  if (address.family() == AF_INET6) {
    const auto raw = raw_of<sockaddr_in6>(address);
    return "[" + ip_text(AF_INET6, &raw.sin6_addr) + "]:" + std::to_string(ntohs(raw.sin6_port));
  }
  return "unix:" + address.path;
}

Result<KernelAddress> KernelAddress::of(const Address& address) {
  KernelAddress kernel;
  if (!address.is_unix()) {
    kernel.storage_ = address.storage;
    kernel.length_ = address.length;
    return kernel;
  }
  sockaddr_un raw{};
  raw.sun_family = AF_UNIX;
  std::string path = address.path;
  if (path.size() >= sizeof(raw.sun_path)) {
    const std::size_t slash = path.rfind('/');
    const std::string directory = slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
    kernel.directory_ = base::Fd(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!kernel.directory_.valid()) {
      return fail(base::errno_error(ErrorCode::invalid_request, "", "cannot open " + directory));
    }
    path = "/proc/self/fd/" + std::to_string(kernel.directory_.get()) + "/" + path.substr(slash + 1);
    if (path.size() >= sizeof(raw.sun_path)) {
      return fail(ErrorCode::invalid_request, "the name of the socket is too long: " + address.path);
    }
  }
  std::copy(path.begin(), path.end(), static_cast<char*>(raw.sun_path));
  std::memcpy(&kernel.storage_, &raw, sizeof(raw));
  kernel.length_ = sizeof(raw);
  return kernel;
}

Peer peer_of(int socket) {
  Peer peer;
  Address address;
  address.length = sizeof(address.storage);
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&address.storage), &address.length) != 0) {
    return peer;
  }
  if (address.family() == AF_INET) {
    const auto raw = raw_of<sockaddr_in>(address);
    peer.address = ip_text(AF_INET, &raw.sin_addr);
    peer.port = ntohs(raw.sin_port);
    peer.is_loopback = is_loopback4(raw.sin_addr);
  } else if (address.family() == AF_INET6) {
    const auto raw = raw_of<sockaddr_in6>(address);
    peer.address = ip_text(AF_INET6, &raw.sin6_addr);
    peer.port = ntohs(raw.sin6_port);
    peer.is_loopback = is_loopback6(raw.sin6_addr);
  } else if (address.storage.ss_family == AF_UNIX) {
    peer.address = "unix";
    peer.is_unix_socket = true;
    ucred credentials{};
    socklen_t length = sizeof(credentials);
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0) {
      peer.uid = credentials.uid;
      peer.pid = credentials.pid;
    }
  }
  return peer;
}

}  // namespace glovebox::http

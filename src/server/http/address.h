// Where to listen or to connect: an IP literal with a port, "localhost", or the path of a unix socket. Names are not
// resolved: a statically linked program has no resolver, and a sandbox should not depend on one.
#pragma once

#include <sys/socket.h>

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"
#include "server/http/message.h"

namespace glovebox::http {

struct Address {
  sockaddr_storage storage{};  // of IP addresses
  socklen_t length = 0;
  std::string path;  // of unix sockets

  [[nodiscard]] int family() const { return path.empty() ? storage.ss_family : AF_UNIX; }
  [[nodiscard]] bool is_unix() const { return family() == AF_UNIX; }
};

// What bind() and connect() take. A sockaddr_un holds 107 bytes of a path and directories may be deep, so a longer one
// leads through the descriptor of its directory.
class KernelAddress {
 public:
  [[nodiscard]] static base::Result<KernelAddress> of(const Address& address);

  [[nodiscard]] const sockaddr* raw() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  [[nodiscard]] socklen_t length() const { return length_; }

 private:
  sockaddr_storage storage_{};
  socklen_t length_ = 0;
  base::Fd directory_;
};

// "127.0.0.1:7070", "[::1]:7070", "localhost:7070", "unix:/run/glovebox.sock"; "http://" may stand before the first
// three, and "/" after them.
[[nodiscard]] base::Result<Address> parse_address(std::string_view text);
// The same spelling back.
[[nodiscard]] std::string to_string(const Address& address);

// Who is connected to this socket.
[[nodiscard]] Peer peer_of(int socket);

}  // namespace glovebox::http

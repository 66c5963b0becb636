// Where to listen or to connect: an IP literal with a port, "localhost", or the path of a unix socket. Names are not
// resolved: a statically linked program has no resolver, and a sandbox should not depend on one.
#pragma once

#include <sys/socket.h>

#include <string>
#include <string_view>

#include "base/result.h"
#include "server/http/message.h"

namespace glovebox::http {

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;

  [[nodiscard]] int family() const { return storage.ss_family; }
  [[nodiscard]] const sockaddr* raw() const { return reinterpret_cast<const sockaddr*>(&storage); }
  [[nodiscard]] bool is_unix() const { return family() == AF_UNIX; }
};

// "127.0.0.1:7070", "[::1]:7070", "localhost:7070", "unix:/run/glovebox.sock"; "http://" may stand before the first
// three, and "/" after them.
[[nodiscard]] base::Result<Address> parse_address(std::string_view text);
// The same spelling back.
[[nodiscard]] std::string to_string(const Address& address);
// The path of a unix socket's address, else "".
[[nodiscard]] std::string unix_path(const Address& address);

// Who is connected to this socket.
[[nodiscard]] Peer peer_of(int socket);

}  // namespace glovebox::http

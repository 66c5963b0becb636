#include "os/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "base/fd.h"

namespace glovebox::os {

ServiceManager::ServiceManager() {
  if (const char* named = std::getenv("NOTIFY_SOCKET"); named != nullptr) {
    path_ = named;
    ::unsetenv("NOTIFY_SOCKET");
  }
}

void ServiceManager::tell(std::string_view state) const {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path_.empty() || path_.size() >= sizeof(address.sun_path) || (path_.front() != '/' && path_.front() != '@')) {
    return;
  }
  std::copy(path_.begin(), path_.end(), static_cast<char*>(address.sun_path));
  if (path_.front() == '@') {
    address.sun_path[0] = '\0';  // an abstract socket
  }
  const base::Fd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path_.size());
  // Whoever asked and does not listen loses the news, and nothing else.
  (void)::sendto(socket.get(), state.data(), state.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address),
                 length);
}

}  // namespace glovebox::os

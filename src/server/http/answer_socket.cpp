#include "server/http/answer_socket.h"

#include <sys/socket.h>

#include <cerrno>

namespace glovebox::http {

std::size_t AnswerSocket::send(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  if (socket_ < 0) {
    return 0;
  }
  ssize_t sent = 0;
  do {
    sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  return sent > 0 ? static_cast<std::size_t>(sent) : 0;
}

void AnswerSocket::take_away() {
  const std::lock_guard lock(mutex_);
  socket_ = -1;
}

}  // namespace glovebox::http

// A connection's socket, as far as other threads may use it: whoever made an answer can send it from where it is, and
// the connection's own thread hears of it afterwards. That saves the client the time that waking a thread takes.
//
// The descriptor belongs to the connection, which takes it away before it closes it.
#pragma once

#include <cstddef>
#include <mutex>
#include <string_view>

namespace glovebox::http {

class AnswerSocket {
 public:
  explicit AnswerSocket(int socket) : socket_(socket) {}

  // How many bytes the kernel took at once; 0 also when the connection is gone or has failed.
  [[nodiscard]] std::size_t send(std::string_view bytes);
  void take_away();

 private:
  std::mutex mutex_;
  int socket_;  // -1 after take_away()
};

}  // namespace glovebox::http

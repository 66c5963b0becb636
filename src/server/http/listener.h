// A socket that listens. A unix socket's file is removed when the listener goes away.
#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "server/http/address.h"

namespace glovebox::http {

class Listener {
 public:
  // Port 0 takes a free one. A unix socket's file that nobody listens on any more is replaced; one that is alive, or a
  // file of another kind, is an error.
  [[nodiscard]] static base::Result<Listener> open(const Address& address, mode_t unix_socket_mode);
  Listener(Listener&&) noexcept = default;
  Listener& operator=(Listener&&) = delete;
  ~Listener();

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] const std::string& name() const { return name_; }
  // A unix socket that nobody but its owner reaches.
  [[nodiscard]] bool is_owners() const { return is_owners_; }
  // A connection (non-blocking, without Nagle's delay), or an invalid descriptor with errno.
  [[nodiscard]] base::Fd accept() const;

 private:
  Listener(base::Fd fd, std::string name) : fd_(std::move(fd)), name_(std::move(name)) {}

  base::Fd fd_;
  std::string name_;
  std::string remove_path_;
  bool is_owners_ = false;
  ino_t inode_ = 0;  // of the file that we made: another one is not ours to remove
};

}  // namespace glovebox::http

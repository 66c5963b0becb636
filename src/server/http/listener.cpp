#include "server/http/listener.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace glovebox::http {
namespace {

using base::errno_error;
using base::ErrorCode;
using base::fail;
using base::Fd;
using base::Result;

constexpr int kBacklog = 1024;

tl::unexpected<base::Error> cannot_listen(const Address& address) {
  const bool taken = errno == EADDRINUSE;
  return fail(errno_error(ErrorCode::setup_failed, "listen", "cannot listen on " + to_string(address))
                  .with_hint(taken ? "another program has it: end that one, or choose another place" : ""));
}

// True if the file is a socket without a listener: what a server that was killed leaves behind.
bool is_stale_socket(const std::string& path, const KernelAddress& kernel) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) {
    return false;
  }
  const Fd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return probe.valid() && ::connect(probe.get(), kernel.raw(), kernel.length()) != 0 && errno == ECONNREFUSED;
}

base::Status bind_to(const Fd& fd, const Address& address) {
  const KernelAddress kernel = TRY(KernelAddress::of(address));
  if (::bind(fd.get(), kernel.raw(), kernel.length()) == 0) {
    return {};
  }
  if (errno == EADDRINUSE && address.is_unix()) {
    if (is_stale_socket(address.path, kernel) && ::unlink(address.path.c_str()) == 0 &&
        ::bind(fd.get(), kernel.raw(), kernel.length()) == 0) {
      return {};
    }
    errno = EADDRINUSE;
  }
  return cannot_listen(address);
}

}  // namespace

Result<Listener> Listener::open(const Address& address, mode_t unix_socket_mode) {
  Fd fd(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) {
    return cannot_listen(address);
  }
  const int on = 1;
  if (!address.is_unix()) {
    ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  }
  if (address.family() == AF_INET6) {
    ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
  }
  TRY_STATUS(bind_to(fd, address));
  Address real;
  real.length = sizeof(real.storage);
  if (::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&real.storage), &real.length) != 0) {
    return cannot_listen(address);
  }
  Listener listener(std::move(fd), to_string(address.is_unix() ? address : real));
  if (address.is_unix()) {
    listener.remove_path_ = address.path;
    listener.is_owners_ = (unix_socket_mode & (S_IRWXG | S_IRWXO)) == 0;
    struct stat status {};
    // Nobody can connect before listen(), so the mode is in force from the first moment.
    if (::lstat(listener.remove_path_.c_str(), &status) != 0 ||
        ::chmod(listener.remove_path_.c_str(), unix_socket_mode) != 0) {
      return cannot_listen(address);
    }
    listener.inode_ = status.st_ino;
  }
  if (::listen(listener.fd(), kBacklog) != 0) {
    return cannot_listen(address);
  }
  return listener;
}

Listener::~Listener() {
  struct stat status {};
  if (fd_.valid() && !remove_path_.empty() && ::lstat(remove_path_.c_str(), &status) == 0 && status.st_ino == inode_) {
    ::unlink(remove_path_.c_str());
  }
}

Fd Listener::accept() const {
  Fd connection(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (connection.valid()) {
    const int on = 1;
    ::setsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &on,
                 sizeof(on));  // fails on unix sockets, which need none
  }
  return connection;
}

}  // namespace glovebox::http

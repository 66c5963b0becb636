#include "os/packets.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace glovebox::os {
namespace {

struct ControlBuffer {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMaxPacketFds)> bytes{};
};

}  // namespace

int send_packet(int socket, const void* data, std::size_t size, std::span<const int> fds) {
  if (fds.size() > kMaxPacketFds) {
    errno = EMSGSIZE;
    return -1;
  }
  ControlBuffer control;
  iovec part{const_cast<void*>(data), size};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!fds.empty()) {
    message.msg_control = control.bytes.data();
    message.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
    std::memcpy(CMSG_DATA(header), fds.data(), sizeof(int) * fds.size());
  }
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent < 0 ? -1 : 0;
}

ssize_t receive_packet(int socket, void* data, std::size_t capacity, ReceivedFds& received, int flags) {
  ControlBuffer control;
  iovec part{data, capacity};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes.data();
  message.msg_controllen = control.bytes.size();
  received.count = 0;
  ssize_t size = 0;
  do {
    size = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC | flags);
  } while (size < 0 && errno == EINTR);
  if (size < 0) {
    return -1;
  }
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t index = 0; index < count && received.count < kMaxPacketFds; ++index) {
      std::memcpy(&received.fds[received.count], CMSG_DATA(header) + index * sizeof(int), sizeof(int));
      ++received.count;
    }
  }
  if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
    for (std::size_t index = 0; index < received.count; ++index) {
      ::close(received.fds[index]);
    }
    received.count = 0;
    errno = EMSGSIZE;
    return -1;
  }
  return size;
}

}  // namespace glovebox::os

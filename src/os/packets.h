// Messages with descriptors over a SOCK_SEQPACKET unix socket. Async-signal-safe; bounded; a message that was cut
// or brings more descriptors than expected is an error (errno EMSGSIZE) and its descriptors are closed.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <span>

namespace glovebox::os {

inline constexpr std::size_t kMaxPacketFds = 128;

// Returns 0 or -1 with errno.
int send_packet(int socket, const void* data, std::size_t size, std::span<const int> fds = {});

struct ReceivedFds {
  std::array<int, kMaxPacketFds> fds{};
  std::size_t count = 0;
};
// Returns the number of bytes, 0 at the end of the stream, -1 with errno.
ssize_t receive_packet(int socket, void* data, std::size_t capacity, ReceivedFds& received, int flags = 0);

}  // namespace glovebox::os

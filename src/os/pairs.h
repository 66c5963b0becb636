// Two descriptors that belong together, each owned from the start: a later failure closes what an earlier call opened.
// Close-on-exec; 0, or -1 with errno.
#pragma once

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"

namespace glovebox::os {

// `flags`: O_NONBLOCK for both ends.
[[nodiscard]] inline int make_pipe(base::Fd& read, base::Fd& write, int flags = 0) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC | flags) != 0) {
    return -1;
  }
  read = base::Fd(ends[0]);
  write = base::Fd(ends[1]);
  return 0;
}

// `type`: SOCK_SEQPACKET or SOCK_STREAM.
[[nodiscard]] inline int make_socket_pair(base::Fd& first, base::Fd& second, int type = SOCK_SEQPACKET) {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) {
    return -1;
  }
  first = base::Fd(ends[0]);
  second = base::Fd(ends[1]);
  return 0;
}

}  // namespace glovebox::os

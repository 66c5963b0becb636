// Stops a run from another thread or from a signal handler (C6).
#pragma once

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "base/fd.h"

namespace glovebox::engine {

class CancelToken {
 public:
  CancelToken() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  // Async-signal-safe; may be called any number of times.
  void cancel() const {
    const std::uint64_t one = 1;
    (void)!::write(event_.get(), &one, sizeof(one));
  }
  [[nodiscard]] bool is_cancelled() const {
    pollfd event{event_.get(), POLLIN, 0};
    return ::poll(&event, 1, 0) == 1;
  }
  [[nodiscard]] int fd() const { return event_.get(); }

 private:
  base::Fd event_;
};

}  // namespace glovebox::engine

// Every request and every cell of a process that serves holds descriptors: it may have as many as the system lets it.
#pragma once

#include <sys/resource.h>

namespace glovebox::cli {

inline void raise_open_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    (void)::setrlimit(RLIMIT_NOFILE, &limit);
  }
}

}  // namespace glovebox::cli

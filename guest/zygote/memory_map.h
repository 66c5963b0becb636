// The mappings of this process, read without allocating.
#pragma once

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cstddef>

namespace glovebox::guest {

struct Mapping {
  unsigned long begin = 0;
  unsigned long end = 0;
  unsigned long inode = 0;  // 0: no file
  char mode[5] = "";        // "rw-p"
};

template <typename Visit>
void for_each_mapping(Visit visit) {
  static char maps[256 << 10];
  const int fd = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return;
  }
  std::size_t size = 0;
  ssize_t got = 0;
  while (size < sizeof(maps) - 1 && (got = ::read(fd, maps + size, sizeof(maps) - 1 - size)) > 0) {
    size += static_cast<std::size_t>(got);
  }
  ::close(fd);
  maps[size] = '\0';
  for (char* line = maps; *line != '\0';) {
    char* end_of_line = ::strchrnul(line, '\n');
    Mapping mapping;
    if (::sscanf(line, "%lx-%lx %4s %*x %*s %lu", &mapping.begin, &mapping.end, mapping.mode, &mapping.inode) == 4) {
      visit(mapping);
    }
    line = *end_of_line == '\0' ? end_of_line : end_of_line + 1;
  }
}

}  // namespace glovebox::guest

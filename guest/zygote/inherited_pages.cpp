#include "inherited_pages.h"

#include <sys/mman.h>

#include <cstdint>

#include "memory_map.h"

namespace glovebox::guest {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kWorthIt = 16 * kPage;

// Writes the last byte of the mapping back to itself; the page that holds it becomes a private copy.
void make_one_page_private(std::uintptr_t begin, std::uintptr_t end, int protection) {
  // The whole mapping, so that it stays one. We run on some of these pages ourselves: they stay executable.
  void* start = reinterpret_cast<void*>(begin);
  if (::mprotect(start, end - begin, protection | PROT_WRITE) != 0) {
    return;
  }
  volatile char* byte = reinterpret_cast<char*>(end) - 1;
  *byte = *byte;
  ::mprotect(start, end - begin, protection);
}

}  // namespace

void inherit_file_pages() {
  for_each_mapping([](const Mapping& mapping) {
    const char* mode = mapping.mode;
    if (mapping.inode != 0 && mode[0] == 'r' && mode[1] == '-' && mode[3] == 'p' &&
        mapping.end - mapping.begin >= kWorthIt) {
      make_one_page_private(mapping.begin, mapping.end, mode[2] == 'x' ? PROT_READ | PROT_EXEC : PROT_READ);
    }
  });
}

}  // namespace glovebox::guest

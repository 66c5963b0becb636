// attack: maps a terabyte without reservation, then touches it page by page
// expect: outcome=memory_limit
// expect-degraded: outcome=memory_limit|program_failed
// limits: memory_bytes=67108864
#include <sys/mman.h>

#include "attack.h"

int main(void) {
  const size_t size = 1UL << 40;
  char* area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED) return 1;
  for (size_t offset = 0; offset < (1UL << 30); offset += 4096) area[offset] = 1;
  finish("ESCAPED", "a gigabyte touched");
}

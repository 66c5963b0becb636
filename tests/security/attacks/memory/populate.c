// attack: asks the kernel to fill a gigabyte in a single call
// expect: outcome=memory_limit
// expect-degraded: outcome=memory_limit|program_failed
// limits: memory_bytes=67108864
#include <sys/mman.h>

#include "attack.h"

int main(void) {
  char* area = mmap(NULL, 1UL << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (area == MAP_FAILED) return 1;
  memset(area, 1, 1UL << 30);
  finish("ESCAPED", "a gigabyte");
}

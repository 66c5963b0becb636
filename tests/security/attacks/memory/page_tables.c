// attack: touches one page in each 2 MiB of a huge mapping: the page tables cost more than the pages
// expect: outcome=memory_limit
// limits: memory_bytes=67108864
// modes: root user
#include <sys/mman.h>

#include "attack.h"

int main(void) {
  const size_t size = 256UL << 30;
  char* area = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED) finish("UNCLEAR", strerrorname_np(errno));
  madvise(area, size, MADV_NOHUGEPAGE);
  int sum = 0;
  for (size_t offset = 0; offset < size; offset += 2UL << 20) sum += *(volatile char*)(area + offset);
  finish("ESCAPED", sum == 0 ? "512 MiB of page tables" : "");
}

// attack: looks for remains of other programs in fresh memory and fresh files
// expect: outcome=ok
// expect-stdout: BLOCKED
// forbid-stdout: ESCAPED
#include <fcntl.h>
#include <sys/mman.h>

#include "attack.h"

int main(void) {
  const size_t size = 64UL << 20;
  char* area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (area == MAP_FAILED) finish("UNCLEAR", strerrorname_np(errno));
  for (size_t i = 0; i < size; i++) {
    if (area[i]) finish("ESCAPED", "memory is not empty");
  }
  int file = open("/work/fresh", O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, 8 << 20) != 0) finish("UNCLEAR", strerrorname_np(errno));
  static char block[8 << 20];
  if (read(file, block, sizeof block) != (ssize_t)sizeof block) finish("UNCLEAR", "read");
  for (size_t i = 0; i < sizeof block; i++) {
    if (block[i]) finish("ESCAPED", "a file is not empty");
  }
  finish("BLOCKED", "all zero");
}

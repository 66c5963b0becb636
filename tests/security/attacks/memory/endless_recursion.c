// attack: recurses without end; the stack must run out before the host's memory does
// expect: outcome=program_failed|memory_limit
#include "attack.h"

static __attribute__((noinline, noipa)) long sink(long depth) {
  volatile char area[65536];
  if (depth < 0) return 0;
  area[0] = (char)depth;
  return sink(depth + 1) + area[0];
}

int main(void) {
  long result = sink(0);
  printf("ESCAPED %ld\n", result);
}

// attack: hides memory in the stacks of threads
// expect: outcome=memory_limit
// limits: memory_bytes=67108864
#include <pthread.h>

#include "attack.h"

static void* fill_stack(void* unused) {
  char area[6 << 20];
  memset(area, 1, sizeof area);
  __asm__ volatile("" : : "r"(area) : "memory");
  pause();
  return unused;
}

int main(void) {
  pthread_t thread;
  for (int i = 0; i < 40; i++) pthread_create(&thread, NULL, fill_stack, NULL);
  pause();
}

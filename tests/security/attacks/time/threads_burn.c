// attack: many threads burn CPU, each below the limit, together above it
// expect: outcome=cpu_limit
// limits: cpu_ms=1000 wall_ms=10000
#include <pthread.h>

#include "attack.h"

static void* burn(void* unused) {
  for (volatile unsigned long i = 0;; i++) {
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  for (int i = 0; i < 12; i++) pthread_create(&thread, NULL, burn, NULL);
  pause();
}

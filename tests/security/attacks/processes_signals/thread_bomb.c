// attack: threads without end, made in C so that nothing slows them down
// expect: outcome=process_limit
#include <pthread.h>

#include "attack.h"

static void* wait_forever(void* unused) {
  pause();
  return unused;
}

int main(void) {
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 16384);
  for (;;) {
    pthread_t thread;
    if (pthread_create(&thread, &small, wait_forever, NULL) != 0) usleep(1000);
  }
}

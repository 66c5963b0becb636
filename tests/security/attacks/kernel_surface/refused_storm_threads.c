// attack: refused calls from many threads at once
// expect: outcome=ok|timeout
// expect-denial: unshare(
// forbid-stdout: ESCAPED
#include <pthread.h>
#include <sched.h>

#include "attack.h"

static void* storm(void* unused) {
  for (int i = 0; i < 2000; i++) {
    if (unshare(CLONE_NEWUSER) == 0) finish("ESCAPED", "a namespace was made");
  }
  return unused;
}

int main(void) {
  pthread_t threads[16];
  for (int i = 0; i < 16; i++) pthread_create(&threads[i], NULL, storm, NULL);
  for (int i = 0; i < 16; i++) pthread_join(threads[i], NULL);
  finish("BLOCKED", "all of them");
}

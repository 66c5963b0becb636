// attack: a fork bomb with raw clone calls, faster than any poll
// expect: outcome=process_limit
#include <signal.h>

#include "attack.h"

int main(void) {
  for (;;) syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

// attack: looks for descriptors that the supervisor forgot to close
// expect: outcome=ok
// expect-stdout: BLOCKED
// forbid-stdout: ESCAPED
#include <fcntl.h>

#include "attack.h"

int main(void) {
  for (int number = 3; number < 65536; number++) {
    if (fcntl(number, F_GETFD) == -1) continue;
    char path[64], target[256] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%d", number);
    if (readlink(path, target, sizeof target - 1) < 0) target[0] = 0;
    printf("%d is %s\n", number, target);
    finish("ESCAPED", "a descriptor was inherited");
  }
  finish("BLOCKED", "three descriptors only");
}

// attack: two hundred thousand refused calls, to keep the supervisor busy
// expect: outcome=ok|timeout
// expect-denial: mount
// forbid-stdout: ESCAPED
#include <sys/mount.h>

#include "attack.h"

int main(void) {
  for (int i = 0; i < 200000; i++) {
    if (mount("none", "/tmp", "tmpfs", 0, NULL) == 0) finish("ESCAPED", "a mount worked");
  }
  finish("BLOCKED", "all of them");
}

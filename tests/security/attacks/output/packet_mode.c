// attack: switches its stdout to packets and writes single bytes, so that each costs the supervisor a turn
// expect: outcome=timeout|output_limit|cpu_limit
// limits: wall_ms=1500 cpu_ms=1500
#include <fcntl.h>
#include <unistd.h>

#include "attack.h"

int main(void) {
  if (fcntl(1, F_SETFL, O_DIRECT) != 0) finish("UNCLEAR", strerrorname_np(errno));
  fcntl(1, F_SETPIPE_SZ, 1 << 20);
  while (write(1, "x", 1) >= 0) {
  }
  finish("UNCLEAR", strerrorname_np(errno));
}

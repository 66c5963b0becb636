// attack: searches its own stack and auxiliary vector for remains of the host's environment
// expect: outcome=ok
// expect-stdout: DONE
// forbid-stdout: GLOVEBOX_TEST_SECRET
#include "attack.h"

int main(int argc, char** argv) {
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[512];
  unsigned long from = 0, to = 0;
  while (maps && fgets(line, sizeof line, maps)) {
    if (strstr(line, "[stack]")) sscanf(line, "%lx-%lx", &from, &to);
  }
  fwrite(argv[argc - 1], 1, to > (unsigned long)argv[argc - 1] ? to - (unsigned long)argv[argc - 1] : 0, stdout);
  finish("\nDONE", "");
}

// attack: the third set of call numbers, which a filter may forget
// expect: outcome=denied|program_failed
// expect-field: signal="SIGSYS"
#include "attack.h"

int main(void) {
  long value = syscall(0x40000000 + SYS_getpid);
  finish(value > 0 ? "ESCAPED" : "UNCLEAR", "the x32 number was answered");
}

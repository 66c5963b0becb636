// attack: a network socket through the third set of call numbers
// expect: outcome=denied|program_failed
// expect-field: signal="SIGSYS"
#include "attack.h"

int main(void) { judge(syscall(0x40000000 + SYS_socket, 2, 1, 0), 0, 0); }

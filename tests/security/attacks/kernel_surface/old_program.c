// attack: a whole 32-bit program
// expect: outcome=denied|program_failed
// compile: -m32
#include "attack.h"

int main(void) { finish("ESCAPED", "a 32-bit program runs"); }

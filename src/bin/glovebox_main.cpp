#include "cli/verbs.h"

int main(int argc, char** argv) { return glovebox::cli::main_verb(argc, argv); }

// The scanner of the bash grammar keeps the delimiters of open here-documents in a buffer of
// TREE_SITTER_SERIALIZATION_BUFFER_SIZE bytes that the parser lends it. Its check counts 3 bytes for the head of an entry
// where it writes 7, so a delimiter of the right length would let a program write up to 3 bytes of its choice behind that
// buffer. A limit that is 4 bytes lower makes the check right.
#include "tree_sitter/parser.h"

#undef TREE_SITTER_SERIALIZATION_BUFFER_SIZE
#define TREE_SITTER_SERIALIZATION_BUFFER_SIZE (1024 - 4)

#include "scanner.c"

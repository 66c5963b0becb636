// The code of toml++, compiled here and nowhere else: it takes seconds.
#define TOML_IMPLEMENTATION
#include "base/toml_library.h"

// Does this value look like a secret? For rules that know a value's name (`password`, `api_key`) but not its format.
//
// Names lie: `token = tokenizer.next()`, `"password": "string"`, `secret_key: ${KEY}`. What tells a secret from code
// and from words is how its letters, digits and signs alternate, how evenly it uses its bytes, and what stands around
// it.
#pragma once

#include <string_view>

#include "redaction/redaction_rules.h"

namespace glovebox::redaction {

struct ValueSurroundings {
  bool quoted = false;       // a quotation mark stands before it
  bool environment = false;  // NAME=value: an upper-case name and no space around the sign
  char after = '\0';         // the byte behind it; NUL at the end of the text
};

// Shannon's, over bytes: 0 for "aaaa", 4 for evenly used hexadecimal digits.
[[nodiscard]] double bits_per_byte(std::string_view value);
// One byte at least eight times in a row: xxxxxxxx, 00000000.
[[nodiscard]] bool has_filler_run(std::string_view value);
// mixed: letters and digits, or capitals inside. password: what a person may type. random: what a machine rolled.
[[nodiscard]] bool has_shape(std::string_view value, Shape shape, const ValueSurroundings& around);

}  // namespace glovebox::redaction

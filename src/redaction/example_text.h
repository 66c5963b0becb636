// Templates of examples, so that the repository and an operator's files show secrets without holding any.
//
//   @{base62:36}   36 made-up characters. Kinds: base62, hex, HEX, digits, upper (A-Z), lower, base32 (A-Z2-7), base64
//                  (with + and /), url (base62 with - and _)
//   @{}            nothing; breaks a word that scanners look for
//
// The characters come from a fixed generator: the same template always gives the same text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace glovebox::redaction {

// Nothing for a template with an unknown kind, a missing brace or more than 64 KiB of characters.
[[nodiscard]] std::optional<std::string> expand_example(std::string_view text);

}  // namespace glovebox::redaction

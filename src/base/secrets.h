// Things that must not be guessed: random names, and texts that nobody else can have made.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace glovebox::base {

// So many bytes of the kernel's randomness, as lower-case hexadecimal digits.
[[nodiscard]] std::string random_hex(std::size_t bytes);

// HMAC-SHA256, as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string hmac_sha256_hex(std::string_view key, std::string_view text);

// Takes the same time wherever the two differ. Their lengths are no secret.
[[nodiscard]] bool equal_secrets(std::string_view left, std::string_view right);

}  // namespace glovebox::base

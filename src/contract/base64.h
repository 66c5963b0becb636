// Base64 of RFC 4648 with the standard alphabet. Decoding is strict: padding is required, other characters and
// line breaks are refused, unused bits must be zero. So every byte string has exactly one encoding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace glovebox::contract {

[[nodiscard]] std::string encode_base64(std::string_view bytes);
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

}  // namespace glovebox::contract

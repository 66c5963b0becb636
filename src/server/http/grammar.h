// The characters of HTTP (RFC 9110), independent of any locale.
#pragma once

#include <algorithm>
#include <string_view>

namespace glovebox::http {

[[nodiscard]] constexpr char to_lower(char byte) {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
}
[[nodiscard]] constexpr bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }
[[nodiscard]] constexpr bool is_letter(char byte) { return to_lower(byte) >= 'a' && to_lower(byte) <= 'z'; }
[[nodiscard]] constexpr bool is_control(char byte) { return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f; }

[[nodiscard]] constexpr bool is_token_character(char byte) {
  return is_letter(byte) || is_digit(byte) ||
         (byte != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(byte) != std::string_view::npos);
}
[[nodiscard]] constexpr bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_character);
}
// A field's value: visible characters, spaces, tabs, and bytes above ASCII, which mean nothing to us.
[[nodiscard]] constexpr bool is_field_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char byte) { return byte == '\t' || !is_control(byte); });
}

// The value of a hexadecimal digit, or -1.
[[nodiscard]] constexpr int hex_value(char byte) {
  if (is_digit(byte)) {
    return byte - '0';
  }
  const char lower = to_lower(byte);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace glovebox::http

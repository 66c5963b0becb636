#include "redaction/configured_forms.h"

#include <fmt/format.h>

#include <algorithm>

#include "contract/base64.h"
#include "contract/json_writer.h"

namespace glovebox::redaction {
namespace {

bool is_unreserved(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
         std::string_view("-_.~").find(letter) != std::string_view::npos;
}

enum class HexCase { lower, upper };

std::string hex_byte(char byte, HexCase hex_case) {
  const unsigned value = static_cast<unsigned char>(byte);
  return hex_case == HexCase::lower ? fmt::format("{:02x}", value) : fmt::format("{:02X}", value);
}

// `safe` are further letters that stay as they are; encoders disagree on '/'.
std::string percent_encode(std::string_view value, HexCase hex_case, std::string_view safe, std::string_view space) {
  std::string text;
  for (const char letter : value) {
    if (is_unreserved(letter) || safe.find(letter) != std::string_view::npos) {
      text += letter;
    } else if (letter == ' ') {
      text += space;
    } else {
      text += '%' + hex_byte(letter, hex_case);
    }
  }
  return text;
}

std::string json_escape(std::string_view value) {
  const std::string quoted = contract::quote_json(value);
  return quoted.substr(1, quoted.size() - 2);
}

std::string replace_all(std::string_view text, char from, std::string_view to) {
  std::string out;
  for (const char letter : text) {
    if (letter == from) {
      out += to;
    } else {
      out += letter;
    }
  }
  return out;
}

// The characters that depend on nothing but the value, when `offset` (0 to 2) other bytes come before it in its group
// of three.
std::string base64_at(std::string_view value, std::size_t offset) {
  const std::string encoded = contract::encode_base64(std::string(offset, '\0') + std::string(value));
  const std::size_t first = (offset * 8 + 5) / 6;
  const std::size_t last = (offset + value.size()) * 8 / 6;
  return encoded.substr(first, last - first);
}

std::string to_base64url(std::string text) {
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  return text;
}

}  // namespace

std::vector<std::string> forms_of(std::string_view value) {
  std::vector<std::string> forms;
  const auto add = [&](std::string form) {
    if (form.size() >= kMinConfiguredBytes && std::find(forms.begin(), forms.end(), form) == forms.end()) {
      forms.push_back(std::move(form));
    }
  };
  add(std::string(value));
  for (const HexCase hex_case : {HexCase::upper, HexCase::lower}) {
    add(percent_encode(value, hex_case, "", "%20"));
    add(percent_encode(value, hex_case, "", "+"));
    add(percent_encode(value, hex_case, "/", "%20"));
  }
  const std::string escaped = json_escape(value);
  add(escaped);
  add(replace_all(escaped, '/', "\\/"));
  for (std::size_t offset = 0; offset < 3; ++offset) {
    const std::string encoded = base64_at(value, offset);
    add(encoded);
    add(to_base64url(encoded));
  }
  for (const HexCase hex_case : {HexCase::lower, HexCase::upper}) {
    std::string hex;
    for (const char byte : value) {
      hex += hex_byte(byte, hex_case);
    }
    add(hex);
  }
  return forms;
}

}  // namespace glovebox::redaction

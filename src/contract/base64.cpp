#include "contract/base64.h"

#include <array>
#include <cstdint>

namespace glovebox::contract {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kInvalid = 0xff;

constexpr std::array<std::uint8_t, 256> make_values() {
  std::array<std::uint8_t, 256> values{};
  for (auto& value : values) {
    value = kInvalid;
  }
  for (std::size_t index = 0; index < kAlphabet.size(); ++index) {
    values[static_cast<std::uint8_t>(kAlphabet[index])] = static_cast<std::uint8_t>(index);
  }
  return values;
}
constexpr std::array<std::uint8_t, 256> kValues = make_values();

std::uint32_t byte_at(std::string_view bytes, std::size_t index) {
  return index < bytes.size() ? static_cast<std::uint8_t>(bytes[index]) : 0U;
}

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t index = 0; index < bytes.size(); index += 3) {
    const std::uint32_t group =
        (byte_at(bytes, index) << 16U) | (byte_at(bytes, index + 1) << 8U) | byte_at(bytes, index + 2);
    const std::size_t left = bytes.size() - index;
    text += kAlphabet[(group >> 18U) & 0x3fU];
    text += kAlphabet[(group >> 12U) & 0x3fU];
    text += left > 1 ? kAlphabet[(group >> 6U) & 0x3fU] : '=';
    text += left > 2 ? kAlphabet[group & 0x3fU] : '=';
  }
  return text;
}

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) {
    return std::nullopt;
  }
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') {
    ++padding;
  }
  const std::string_view digits = text.substr(0, text.size() - padding);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char letter : digits) {
    const std::uint8_t value = kValues[static_cast<std::uint8_t>(letter)];
    if (value == kInvalid) {
      return std::nullopt;
    }
    bits = (bits << 6U) | value;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes += static_cast<char>((bits >> held) & 0xffU);
      bits &= (1U << held) - 1U;
    }
  }
  if (bits != 0) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace glovebox::contract

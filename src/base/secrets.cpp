#include "base/secrets.h"

#include <sys/random.h>

#include <vector>

#include "base/sha256.h"

namespace glovebox::base {
namespace {

std::string to_hex(const unsigned char* bytes, std::size_t count) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(count * 2);
  for (std::size_t index = 0; index < count; ++index) {
    text += kDigits[bytes[index] >> 4U];
    text += kDigits[bytes[index] & 15U];
  }
  return text;
}

std::string from_hex(std::string_view text) {
  const auto value = [](char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; };
  std::string bytes;
  for (std::size_t index = 0; index + 1 < text.size(); index += 2) {
    bytes += static_cast<char>(value(text[index]) * 16 + value(text[index + 1]));
  }
  return bytes;
}

}  // namespace

std::string random_hex(std::size_t bytes) {
  std::vector<unsigned char> random(bytes);
  std::size_t filled = 0;
  while (filled < bytes) {
    // Before the kernel's generator is ready getrandom waits; then it can only be interrupted.
    const ssize_t got = ::getrandom(random.data() + filled, bytes - filled, 0);
    filled += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  return to_hex(random.data(), random.size());
}

// RFC 2104 over our one hash. OpenSSL's own would link everything that it has for sockets and names.
std::string hmac_sha256_hex(std::string_view key, std::string_view text) {
  constexpr std::size_t kBlockBytes = 64;
  constexpr char kInner = 0x36;
  constexpr char kOuter = 0x5c;
  std::string block = key.size() <= kBlockBytes ? std::string(key) : from_hex(sha256_hex(key));
  block.resize(kBlockBytes, '\0');
  const auto padded = [&block](char pad) {
    std::string mixed = block;
    for (char& byte : mixed) {
      byte = static_cast<char>(byte ^ pad);
    }
    return mixed;
  };
  Sha256 inner;
  inner.update(padded(kInner));
  inner.update(text);
  Sha256 outer;
  outer.update(padded(kOuter));
  outer.update(from_hex(inner.hex()));
  return outer.hex();
}

bool equal_secrets(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) {
    return false;
  }
  volatile unsigned char difference = 0;  // or a compiler may stop at the first
  for (std::size_t index = 0; index < left.size(); ++index) {
    difference = static_cast<unsigned char>(difference | (left[index] ^ right[index]));
  }
  return difference == 0;
}

}  // namespace glovebox::base

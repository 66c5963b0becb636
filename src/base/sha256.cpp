// The low-level OpenSSL calls on purpose: the EVP interface loads a provider first, which costs more than
// hashing a whole program and would be paid by every `glovebox run`.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/sha256.h"

#include <openssl/sha.h>

namespace glovebox::base {
namespace {

SHA256_CTX* context(std::array<std::byte, 128>& state) { return reinterpret_cast<SHA256_CTX*>(state.data()); }

}  // namespace

Sha256::Sha256() {
  static_assert(sizeof(SHA256_CTX) <= kStateBytes);
  SHA256_Init(context(state_));
}

void Sha256::update(std::string_view bytes) { SHA256_Update(context(state_), bytes.data(), bytes.size()); }

std::string Sha256::hex() {
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256_Final(digest.data(), context(state_));
  std::string text;
  text.reserve(digest.size() * 2);
  for (const unsigned char byte : digest) {
    text += kHex[byte >> 4U];
    text += kHex[byte & 0x0fU];
  }
  return text;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

}  // namespace glovebox::base

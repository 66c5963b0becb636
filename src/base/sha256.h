// SHA-256, the one hash of Glovebox: code, inputs, artifacts, images, plans.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace glovebox::base {

class Sha256 {
 public:
  Sha256();
  void update(std::string_view bytes);
  // Lower-case hexadecimal, 64 characters. The object is spent afterwards.
  [[nodiscard]] std::string hex();

 private:
  // OpenSSL's SHA256_CTX, kept out of this header.
  static constexpr std::size_t kStateBytes = 128;
  alignas(16) std::array<std::byte, kStateBytes> state_{};
};

[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace glovebox::base

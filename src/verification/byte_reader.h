// Numbers out of foreign bytes, without reading past their end.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace glovebox::verification {

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }
  [[nodiscard]] std::size_t position() const { return at_; }

  [[nodiscard]] std::optional<std::string_view> take(std::size_t count) {
    if (count > left()) {
      return std::nullopt;
    }
    const std::string_view part = bytes_.substr(at_, count);
    at_ += count;
    return part;
  }
  [[nodiscard]] std::optional<std::uint32_t> big_endian(std::size_t bytes) {
    const auto part = take(bytes);
    if (!part) {
      return std::nullopt;
    }
    std::uint32_t number = 0;
    for (const char byte : *part) {
      number = (number << 8U) | static_cast<unsigned char>(byte);
    }
    return number;
  }
  [[nodiscard]] std::optional<std::uint32_t> little_endian(std::size_t bytes) {
    const auto part = take(bytes);
    if (!part) {
      return std::nullopt;
    }
    std::uint32_t number = 0;
    for (std::size_t index = bytes; index > 0; --index) {
      number = (number << 8U) | static_cast<unsigned char>((*part)[index - 1]);
    }
    return number;
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace glovebox::verification

// A hash over a list of fields that no other list of fields has: each is preceded by its length.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/sha256.h"

namespace glovebox::records {

class Digest {
 public:
  Digest& add(std::string_view field) {
    number(field.size(), ':');
    hash_.update(field);
    return *this;
  }
  Digest& add(std::integral auto value) { return number(value, ';'); }
  // Shortest text that reads back as the same number.
  Digest& add(double value) { return number(value, ';'); }
  Digest& add_optional(const std::optional<std::string>& field) { return field ? add(*field) : add(-1); }

  // A copy of a Digest goes on where it was; hex() ends it.
  [[nodiscard]] std::string hex() { return hash_.hex(); }

 private:
  Digest& number(auto value, char end) {
    std::array<char, 32> text{};
    char* after = nullptr;
    if constexpr (std::is_same_v<decltype(value), bool>) {
      after = std::to_chars(text.data(), text.data() + text.size(), value ? 1 : 0).ptr;
    } else {
      after = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    }
    *after++ = end;
    hash_.update(std::string_view(text.data(), static_cast<std::size_t>(after - text.data())));
    return *this;
  }

  base::Sha256 hash_;
};

}  // namespace glovebox::records

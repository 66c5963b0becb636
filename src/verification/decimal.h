// A JSON number as it was written, exactly: ± digits × 10^exponent, without leading or trailing zeros.
//
// 2^53 + 1 is not 2^53, 0.30 is 0.3, and 1e400 is a number. Only what a schema needs: order, being whole, being a
// multiple. All of it is linear in the digits, whatever the exponents are.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace glovebox::verification {

class Decimal {
 public:
  Decimal() = default;  // 0
  // The grammar of JSON's numbers; nothing for other text, or an exponent beyond ±10^15.
  [[nodiscard]] static std::optional<Decimal> parse(std::string_view text);

  [[nodiscard]] bool is_whole() const { return exponent_ >= 0; }
  [[nodiscard]] bool is_zero() const { return digits_.empty(); }
  [[nodiscard]] bool is_negative() const { return negative_; }
  // The digits as a number, if there are at most 18 of them.
  [[nodiscard]] std::optional<std::uint64_t> short_digits() const;
  // `divisor` is not zero and has short_digits().
  [[nodiscard]] bool is_multiple_of(const Decimal& divisor) const;
  // Equal for equal numbers, and for no others.
  [[nodiscard]] std::string canonical() const;

  bool operator==(const Decimal&) const = default;
  [[nodiscard]] std::strong_ordering operator<=>(const Decimal& other) const;

 private:
  // Position of the first digit before (positive) or after the decimal point.
  [[nodiscard]] std::int64_t magnitude() const { return exponent_ + static_cast<std::int64_t>(digits_.size()); }

  bool negative_ = false;
  std::string digits_;  // empty: zero
  std::int64_t exponent_ = 0;
};

}  // namespace glovebox::verification

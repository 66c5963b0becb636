// A JSON number as it was written, exactly: ± digits × 10^exponent, without leading or trailing zeros.
//
// 2^53 + 1 is not 2^53, 0.30 is 0.3, and 1e400 is a number. Only what checks need: order, being whole, being a
// multiple, being near. All of it is linear in the digits, whatever the exponents are.
#pragma once

#include <array>
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
  // The shortest number that stands for this double, which is what people see and write. It is finite.
  [[nodiscard]] static Decimal from_double(double number);

  [[nodiscard]] bool is_whole() const { return exponent_ >= 0; }
  [[nodiscard]] bool is_zero() const { return digits_.empty(); }
  [[nodiscard]] bool is_negative() const { return negative_; }
  // The digits as a number, if there are at most 18 of them.
  [[nodiscard]] std::optional<std::uint64_t> short_digits() const;
  // `divisor` is not zero and has short_digits().
  [[nodiscard]] bool is_multiple_of(const Decimal& divisor) const;
  // Whether |left - right| <= tolerance, exactly. Never for a negative tolerance.
  [[nodiscard]] static bool are_within(const Decimal& left, const Decimal& right, const Decimal& tolerance);
  // Equal for equal numbers, and for no others.
  [[nodiscard]] std::string canonical() const;

  bool operator==(const Decimal&) const = default;
  [[nodiscard]] std::strong_ordering operator<=>(const Decimal& other) const;

  // Position of the first digit before (positive) or after the decimal point.
  [[nodiscard]] std::int64_t magnitude() const { return exponent_ + static_cast<std::int64_t>(digits_.size()); }

 private:
  [[nodiscard]] Decimal negated() const;
  [[nodiscard]] int sign() const { return is_zero() ? 0 : negative_ ? -1 : 1; }
  void trim();
  // Their magnitudes differ by one at most, so that the sum has hardly more digits than they have.
  [[nodiscard]] static Decimal sum_of_neighbours(const Decimal& left, const Decimal& right);
  [[nodiscard]] static int sign_of_sum(std::array<Decimal, 3> numbers);

  bool negative_ = false;
  std::string digits_;  // empty: zero
  std::int64_t exponent_ = 0;
};

}  // namespace glovebox::verification

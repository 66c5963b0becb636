#include "verification/decimal.h"

#include <fmt/format.h>

#include <charconv>

namespace glovebox::verification {
namespace {

constexpr std::int64_t kMaxExponent = 1'000'000'000'000'000;
constexpr std::size_t kShortDigits = 18;

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

std::uint64_t multiply_modulo(std::uint64_t left, std::uint64_t right, std::uint64_t modulus) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(left) * right % modulus);
}

std::uint64_t power_of_ten_modulo(std::uint64_t exponent, std::uint64_t modulus) {
  std::uint64_t result = 1 % modulus;
  std::uint64_t base = 10 % modulus;
  for (; exponent != 0; exponent >>= 1U) {
    if ((exponent & 1U) != 0) {
      result = multiply_modulo(result, base, modulus);
    }
    base = multiply_modulo(base, base, modulus);
  }
  return result;
}

// Reads digits from text[at] on; how many.
std::size_t count_digits(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) {
    ++end;
  }
  return end - at;
}

}  // namespace

std::optional<Decimal> Decimal::parse(std::string_view text) {
  Decimal number;
  std::size_t at = 0;
  if (text.starts_with('-')) {
    number.negative_ = true;
    at = 1;
  }
  const std::size_t whole = count_digits(text, at);
  if (whole == 0 || (whole > 1 && text[at] == '0')) {
    return std::nullopt;
  }
  number.digits_ = text.substr(at, whole);
  at += whole;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = count_digits(text, at + 1);
    if (fraction == 0) {
      return std::nullopt;
    }
    number.digits_ += text.substr(at + 1, fraction);
    number.exponent_ = -static_cast<std::int64_t>(fraction);
    at += 1 + fraction;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    at += text.substr(at + 1).starts_with('+') ? 2 : 1;
    std::int64_t exponent = 0;
    const auto [end, problem] = std::from_chars(text.data() + at, text.data() + text.size(), exponent);
    if (problem != std::errc() || exponent > kMaxExponent || exponent < -kMaxExponent) {
      return std::nullopt;
    }
    number.exponent_ += exponent;
    at = static_cast<std::size_t>(end - text.data());
  }
  if (at != text.size()) {
    return std::nullopt;
  }
  const std::size_t first = number.digits_.find_first_not_of('0');
  if (first == std::string::npos) {
    return Decimal();
  }
  const std::size_t last = number.digits_.find_last_not_of('0');
  number.exponent_ += static_cast<std::int64_t>(number.digits_.size() - 1 - last);
  number.digits_ = number.digits_.substr(first, last - first + 1);
  return number;
}

std::optional<std::uint64_t> Decimal::short_digits() const {
  if (digits_.size() > kShortDigits) {
    return std::nullopt;
  }
  std::uint64_t value = 0;
  std::from_chars(digits_.data(), digits_.data() + digits_.size(), value);
  return value;
}

// value / divisor = digits × 10^shift / divisor's digits. Below zero the digits would have to end in zeros, which they
// never do.
bool Decimal::is_multiple_of(const Decimal& divisor) const {
  if (is_zero()) {
    return true;
  }
  const std::int64_t shift = exponent_ - divisor.exponent_;
  const auto modulus = divisor.short_digits();
  if (shift < 0 || !modulus || *modulus == 0) {
    return false;
  }
  std::uint64_t rest = 0;
  for (const char digit : digits_) {
    rest = (multiply_modulo(rest, 10, *modulus) + static_cast<std::uint64_t>(digit - '0')) % *modulus;
  }
  return multiply_modulo(rest, power_of_ten_modulo(static_cast<std::uint64_t>(shift), *modulus), *modulus) == 0;
}

std::string Decimal::canonical() const {
  return is_zero() ? "0" : fmt::format("{}{}e{}", negative_ ? "-" : "", digits_, exponent_);
}

std::strong_ordering Decimal::operator<=>(const Decimal& other) const {
  if (is_zero() || other.is_zero() || negative_ != other.negative_) {
    const int left = is_zero() ? 0 : negative_ ? -1 : 1;
    const int right = other.is_zero() ? 0 : other.negative_ ? -1 : 1;
    return left <=> right;
  }
  // Without trailing zeros, the digits of equal magnitude compare like text.
  const Decimal& larger = negative_ ? other : *this;
  const Decimal& smaller = negative_ ? *this : other;
  return larger.magnitude() != smaller.magnitude() ? larger.magnitude() <=> smaller.magnitude()
                                                   : larger.digits_ <=> smaller.digits_;
}

}  // namespace glovebox::verification

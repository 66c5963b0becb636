#include "verification/decimal.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"

namespace glovebox::verification {
namespace {

constexpr std::int64_t kMaxExponent = 1'000'000'000'000'000;
constexpr std::size_t kShortDigits = 18;

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
  while (end < text.size() && base::is_digit(text[end])) {
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
  number.trim();
  return number;
}

Decimal Decimal::from_double(double number) { return parse(fmt::format("{}", number)).value_or(Decimal()); }

// Zeros at either end go.
void Decimal::trim() {
  const std::size_t first = digits_.find_first_not_of('0');
  if (first == std::string::npos) {
    *this = Decimal();
    return;
  }
  const std::size_t last = digits_.find_last_not_of('0');
  exponent_ += static_cast<std::int64_t>(digits_.size() - 1 - last);
  digits_ = digits_.substr(first, last - first + 1);
}

Decimal Decimal::negated() const {
  Decimal other = *this;
  other.negative_ = !negative_ && !is_zero();
  return other;
}

// Digit by digit from the right, as on paper; the larger one comes first, so that nothing is left to borrow from.
Decimal Decimal::sum_of_neighbours(const Decimal& left, const Decimal& right) {
  if (left.is_zero() || right.is_zero()) {
    return left.is_zero() ? right : left;
  }
  Decimal positive_left = left;
  Decimal positive_right = right;
  positive_left.negative_ = positive_right.negative_ = false;
  const bool swapped = positive_left < positive_right;
  const Decimal& larger = swapped ? right : left;
  const Decimal& smaller = swapped ? left : right;
  const std::int64_t low = std::min(left.exponent_, right.exponent_);
  const auto digit_at = [](const Decimal& number, std::int64_t place) {
    const std::int64_t from_right = place - number.exponent_;
    const auto size = static_cast<std::int64_t>(number.digits_.size());
    return from_right < 0 || from_right >= size ? 0
                                                : number.digits_[static_cast<std::size_t>(size - 1 - from_right)] - '0';
  };
  const int direction = left.negative_ == right.negative_ ? 1 : -1;
  Decimal sum;
  sum.negative_ = larger.negative_;
  sum.exponent_ = low;
  int carry = 0;
  for (std::int64_t place = low; place < larger.magnitude() || carry != 0; ++place) {
    int digit = digit_at(larger, place) + direction * digit_at(smaller, place) + carry;
    carry = digit < 0 ? -1 : digit / 10;
    digit = digit < 0 ? digit + 10 : digit % 10;
    sum.digits_ += static_cast<char>('0' + digit);
  }
  std::reverse(sum.digits_.begin(), sum.digits_.end());
  sum.trim();
  return sum;
}

// Sorted by magnitude. If the first has two digits more than the others, they cannot make up for it; else it is near
// the second, and what the two are together decides against the third by order alone.
int Decimal::sign_of_sum(std::array<Decimal, 3> numbers) {
  const auto rank = [](const Decimal& number) {
    return std::pair(!number.is_zero(), number.is_zero() ? 0 : number.magnitude());
  };
  std::sort(numbers.begin(), numbers.end(), [&](const auto& a, const auto& b) { return rank(a) > rank(b); });
  if (numbers[1].is_zero() || numbers[0].magnitude() >= numbers[1].magnitude() + 2) {
    return numbers[0].sign();
  }
  const Decimal both = sum_of_neighbours(numbers[0], numbers[1]);
  const auto ordering = both <=> numbers[2].negated();
  return std::is_lt(ordering) ? -1 : std::is_gt(ordering) ? 1 : 0;
}

bool Decimal::are_within(const Decimal& left, const Decimal& right, const Decimal& tolerance) {
  const bool ordered = left < right;
  return sign_of_sum({ordered ? right : left, (ordered ? left : right).negated(), tolerance.negated()}) <= 0;
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
  // As many digits at a time as fit beside the rest: dividing is what costs.
  std::uint64_t rest = 0;
  for (std::size_t at = 0; at < digits_.size(); at += kShortDigits) {
    const std::string_view part = std::string_view(digits_).substr(at, kShortDigits);
    std::uint64_t number = 0;
    std::uint64_t scale = 1;
    for (const char digit : part) {
      number = number * 10 + static_cast<std::uint64_t>(digit - '0');
      scale *= 10;
    }
    rest = static_cast<std::uint64_t>((static_cast<unsigned __int128>(rest) * scale + number) % *modulus);
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

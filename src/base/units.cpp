#include "base/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace glovebox::base {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr double kKib = 1024.0;
constexpr std::array kSizeUnits = {
    Unit{"", 1},
    Unit{"b", 1},
    Unit{"k", kKib},
    Unit{"kb", kKib},
    Unit{"kib", kKib},
    Unit{"m", kKib* kKib},
    Unit{"mb", kKib* kKib},
    Unit{"mib", kKib* kKib},
    Unit{"g", kKib* kKib* kKib},
    Unit{"gb", kKib* kKib* kKib},
    Unit{"gib", kKib* kKib* kKib},
};
constexpr std::array kDurationUnits = {
    Unit{"", 1000}, Unit{"ms", 1}, Unit{"s", 1000}, Unit{"m", 60'000}, Unit{"min", 60'000}, Unit{"h", 3'600'000},
};

template <std::size_t N>
Result<std::uint64_t> parse_with(std::string_view text, const std::array<Unit, N>& units, std::string_view what,
                                 std::string_view example) {
  const Error bad = make_error(ErrorCode::invalid_request, fmt::format("\"{}\" is not a {}", text, what))
                        .with_hint(fmt::format("write it like {}", example));
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || number < 0 || !std::isfinite(number)) {
    return fail(bad);
  }
  std::string suffix(end, text.data() + text.size());
  while (!suffix.empty() && suffix.front() == ' ') {
    suffix.erase(0, 1);
  }
  for (char& letter : suffix) {
    if (letter >= 'A' && letter <= 'Z') {
      letter = static_cast<char>(letter - 'A' + 'a');
    }
  }
  for (const Unit& unit : units) {
    if (unit.name == suffix) {
      const double value = std::round(number * unit.factor);
      if (value > 9e15) {
        return fail(bad);
      }
      return static_cast<std::uint64_t>(value);
    }
  }
  return fail(bad);
}

std::string trimmed(double value, std::string_view unit) {
  if (std::abs(value - std::round(value)) < 0.05) {
    return fmt::format("{:.0f} {}", value, unit);
  }
  return fmt::format("{:.1f} {}", value, unit);
}

}  // namespace

Result<std::uint64_t> parse_size(std::string_view text) {
  return parse_with(text, kSizeUnits, "size", "256M or 64KiB");
}

Result<std::uint64_t> parse_duration_ms(std::string_view text) {
  return parse_with(text, kDurationUnits, "duration", "5s, 250ms or 2m");
}

std::string format_size(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (value < kKib) {
    return bytes == 1 ? "1 byte" : fmt::format("{} bytes", bytes);
  }
  if (value < kKib * kKib) {
    return trimmed(value / kKib, "KiB");
  }
  if (value < kKib * kKib * kKib) {
    return trimmed(value / (kKib * kKib), "MiB");
  }
  return trimmed(value / (kKib * kKib * kKib), "GiB");
}

std::string format_duration_ms(std::uint64_t ms) {
  if (ms < 1000) {
    return fmt::format("{} ms", ms);
  }
  return trimmed(static_cast<double>(ms) / 1000.0, "s");
}

}  // namespace glovebox::base

#include "redaction/example_text.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

namespace glovebox::redaction {
namespace {

constexpr std::size_t kMaxCharacters = 64U << 10U;

#define GLOVEBOX_UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define GLOVEBOX_LOWER "abcdefghijklmnopqrstuvwxyz"
#define GLOVEBOX_DIGITS "0123456789"
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kAlphabets = {{
    {"base62", GLOVEBOX_UPPER GLOVEBOX_LOWER GLOVEBOX_DIGITS},
    {"hex", GLOVEBOX_DIGITS "abcdef"},
    {"HEX", GLOVEBOX_DIGITS "ABCDEF"},
    {"digits", GLOVEBOX_DIGITS},
    {"upper", GLOVEBOX_UPPER},
    {"lower", GLOVEBOX_LOWER},
    {"base32", GLOVEBOX_UPPER "234567"},
    {"base64", GLOVEBOX_UPPER GLOVEBOX_LOWER GLOVEBOX_DIGITS "+/"},
    {"url", GLOVEBOX_UPPER GLOVEBOX_LOWER GLOVEBOX_DIGITS "-_"},
}};

std::string_view alphabet_of(std::string_view kind) {
  for (const auto& [name, letters] : kAlphabets) {
    if (name == kind) {
      return letters;
    }
  }
  return {};
}

// SplitMix64: small, fixed, and good enough to look made-up.
std::uint64_t next_number(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
  return mixed ^ (mixed >> 31U);
}

}  // namespace

std::optional<std::string> expand_example(std::string_view text) {
  std::string out;
  std::size_t made = 0;
  std::uint64_t state = text.size();
  for (std::size_t open = text.find("@{"); open != std::string_view::npos; open = text.find("@{")) {
    out += text.substr(0, open);
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) {
      return std::nullopt;
    }
    const std::string_view inside = text.substr(open + 2, close - open - 2);
    text.remove_prefix(close + 1);
    if (inside.empty()) {
      continue;
    }
    const std::size_t colon = inside.find(':');
    const std::string_view letters = alphabet_of(inside.substr(0, colon));
    const std::string_view number = colon == std::string_view::npos ? std::string_view() : inside.substr(colon + 1);
    std::size_t count = 0;
    const auto parsed = std::from_chars(number.data(), number.data() + number.size(), count);
    if (letters.empty() || number.empty() || parsed.ec != std::errc() || parsed.ptr != number.data() + number.size() ||
        count > kMaxCharacters - made) {
      return std::nullopt;
    }
    made += count;
    for (std::size_t index = 0; index < count; ++index) {
      out += letters[next_number(state) % letters.size()];
    }
  }
  out += text;
  return out;
}

}  // namespace glovebox::redaction

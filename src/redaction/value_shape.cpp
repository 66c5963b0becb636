#include "redaction/value_shape.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace glovebox::redaction {
namespace {

enum class Kind { none, lower, upper, digit };

Kind kind_of(char letter) {
  if (letter >= 'a' && letter <= 'z') {
    return Kind::lower;
  }
  if (letter >= 'A' && letter <= 'Z') {
    return Kind::upper;
  }
  return letter >= '0' && letter <= '9' ? Kind::digit : Kind::none;
}

struct Counts {
  std::size_t lower = 0;
  std::size_t upper = 0;
  std::size_t digits = 0;
  std::size_t signs = 0;      // such as people put into passwords
  std::size_t joints = 0;     // _ and -
  std::size_t others = 0;     // neither, also bytes beyond ASCII
  std::size_t turns = 0;      // letter to digit, digit to letter, lower to upper; "Upper" itself is no turn
  std::size_t last_turn = 0;  // where the last one is
  [[nodiscard]] std::size_t letters() const { return lower + upper; }
};

// In code without quotation marks % & * + = are operators.
constexpr std::string_view kSigns = "!@#$%^&*+=?~";
constexpr std::string_view kBareSigns = "!@#$^~";

Counts count(std::string_view value, std::string_view signs) {
  Counts counts;
  Kind previous = Kind::none;
  for (std::size_t index = 0; index < value.size(); ++index) {
    const char letter = value[index];
    const Kind kind = kind_of(letter);
    counts.lower += kind == Kind::lower ? 1 : 0;
    counts.upper += kind == Kind::upper ? 1 : 0;
    counts.digits += kind == Kind::digit ? 1 : 0;
    if (kind == Kind::none) {
      const bool joint = letter == '_' || letter == '-';
      const bool sign = index > 0 && signs.find(letter) != std::string_view::npos;
      ++(joint ? counts.joints : sign ? counts.signs : counts.others);
    }
    const bool both = previous != Kind::none && kind != Kind::none;
    const bool to_or_from_digit = (previous == Kind::digit) != (kind == Kind::digit);
    if (both && (to_or_from_digit || (previous == Kind::lower && kind == Kind::upper))) {
      ++counts.turns;
      counts.last_turn = index;
    }
    previous = kind;
  }
  return counts;
}

bool is_path_or_address(std::string_view value) {
  return value.starts_with('/') || value.starts_with("./") || value.starts_with("../") || value.starts_with("~/") ||
         value.find("://") != std::string_view::npos;
}

// tokenizer(…), tokens[0], Token{…}: the value goes on as code.
bool goes_on_as_code(const ValueSurroundings& around) {
  return !around.quoted && (around.after == '(' || around.after == '[' || around.after == '{');
}

bool is_identifier(std::string_view value) {
  return kind_of(value.front()) != Kind::digit && std::all_of(value.begin(), value.end(), [](char letter) {
           return kind_of(letter) != Kind::none || letter == '_' || letter == '.';
         });
}

bool looks_like_password(std::string_view value, const ValueSurroundings& around) {
  const Counts counts = count(value, around.quoted || around.environment ? kSigns : kBareSigns);
  if (is_path_or_address(value)) {
    return false;
  }
  if (counts.letters() == 0 && counts.signs == 0) {
    return counts.digits == value.size() && (around.quoted || around.environment);
  }
  const bool mixed = (counts.letters() > 0 && counts.digits > 0) || counts.signs > 0 ||
                     (counts.lower > 0 && counts.upper > 0 && counts.turns >= 2 && counts.joints == 0);
  if (!mixed) {
    return false;
  }
  if (counts.signs == 0 && counts.turns <= 1 && (counts.joints > 0 || value.find('.') != std::string_view::npos)) {
    return false;  // user_password_2, config.password1
  }
  if (!around.quoted && !around.environment && is_identifier(value)) {
    return counts.turns >= 2 && value.find('.') == std::string_view::npos;
  }
  return true;
}

// Words have no digits, and capitals only in front.
bool is_mixed(std::string_view value) {
  const Counts counts = count(value, kSigns);
  return (counts.letters() > 0 && counts.digits > 0) || (counts.lower > 0 && counts.upper > 0 && counts.turns >= 2);
}

bool looks_random(std::string_view value) {
  const Counts counts = count(value, kSigns);
  constexpr std::size_t kFewestLetters = 4;
  if (counts.letters() < kFewestLetters || is_path_or_address(value)) {
    return false;
  }
  if (counts.digits == 0) {
    return value.size() >= 20 && counts.lower > 0 && counts.upper > 0 && counts.turns * 4 >= value.size() &&
           counts.joints <= value.size() / 10;
  }
  return counts.turns >= std::max<std::size_t>(3, value.size() / 10);
}

}  // namespace

double bits_per_byte(std::string_view value) {
  std::array<std::size_t, 256> seen{};
  for (const char letter : value) {
    ++seen[static_cast<unsigned char>(letter)];
  }
  double bits = 0;
  for (const std::size_t times : seen) {
    if (times > 0) {
      const double share = static_cast<double>(times) / static_cast<double>(value.size());
      bits -= share * std::log2(share);
    }
  }
  return bits;
}

bool has_filler_run(std::string_view value) {
  constexpr std::size_t kRun = 8;
  std::size_t run = 0;
  for (std::size_t index = 0; index < value.size(); ++index) {
    run = index > 0 && value[index] == value[index - 1] ? run + 1 : 1;
    if (run >= kRun) {
      return true;
    }
  }
  return false;
}

bool has_shape(std::string_view value, Shape shape, const ValueSurroundings& around) {
  switch (shape) {
    case Shape::any:
      return true;
    case Shape::mixed:
      return is_mixed(value);
    case Shape::password:
      return !value.empty() && !goes_on_as_code(around) && looks_like_password(value, around);
    case Shape::random:
      return !value.empty() && !goes_on_as_code(around) && looks_random(value);
  }
  return true;  // fail closed: what cannot be judged is a secret
}

}  // namespace glovebox::redaction

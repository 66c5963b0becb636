#include "policy/reading/escapes.h"

#include <algorithm>
#include <charconv>

namespace glovebox::policy {
namespace {

std::optional<std::uint32_t> number(std::string_view digits, int base) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) {
    return std::nullopt;
  }
  return value;
}

bool is_octal(char character) { return character >= '0' && character <= '7'; }

// Reads what follows a backslash, one sequence at a time.
class Unescaper {
 public:
  Unescaper(std::string_view raw, UnknownEscape unknown) : rest_(raw), unknown_(unknown) {}

  std::string run() {
    for (std::size_t backslash = rest_.find('\\'); backslash < rest_.size(); backslash = rest_.find('\\')) {
      result_.append(rest_.substr(0, backslash));
      rest_.remove_prefix(backslash + 1);
      if (rest_.empty()) {
        result_ += '\\';
        break;
      }
      escape();
    }
    result_.append(rest_);
    return std::move(result_);
  }

 private:
  void escape() {
    const char kind = rest_.front();
    constexpr std::string_view kFrom = "abefnrtv\\'\"`$";
    constexpr std::string_view kTo = "\a\b\x1b\f\n\r\t\v\\'\"`$";
    if (kind == '\r' || kind == '\n') {
      rest_.remove_prefix(rest_.starts_with("\r\n") ? 2 : 1);
    } else if (const std::size_t simple = kFrom.find(kind); simple != std::string_view::npos) {
      result_ += kTo[simple];
      rest_.remove_prefix(1);
    } else if (is_octal(kind)) {
      std::size_t length = 1;
      while (length < 3 && length < rest_.size() && is_octal(rest_[length])) {
        ++length;
      }
      take(0, length, 8);
    } else if (kind == 'u' && rest_.size() > 1 && rest_[1] == '{') {
      const std::size_t end = std::min(rest_.find('}'), rest_.size());
      const auto character = number(rest_.substr(2, end - 2), 16);
      append_utf8(result_, character.value_or(0xfffd));
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
    } else if (kind == 'x' || kind == 'u' || kind == 'U') {
      take(1, kind == 'x' ? 2 : kind == 'u' ? 4 : 8, 16);
    } else {
      if (unknown_ == UnknownEscape::keep_backslash) {
        result_ += '\\';
      }
      result_ += kind;
      rest_.remove_prefix(1);
    }
  }

  void take(std::size_t skip, std::size_t length, int base) {
    const std::string_view digits = rest_.substr(skip, length);
    append_utf8(result_, number(digits, base).value_or(0xfffd));
    rest_.remove_prefix(std::min(skip + length, rest_.size()));
  }

  std::string_view rest_;
  UnknownEscape unknown_;
  std::string result_;
};

}  // namespace

std::string unescape(std::string_view raw, UnknownEscape unknown) { return Unescaper(raw, unknown).run(); }

void append_utf8(std::string& text, std::uint32_t character) {
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (character < 0x80) {
    add(character);
  } else if (character < 0x800) {
    add(0xc0U | (character >> 6U));
    add(0x80U | (character & 0x3fU));
  } else if (character < 0x1'0000 || character > 0x10'ffff) {
    const std::uint32_t valid =
        character > 0x10'ffff || (character >= 0xd800 && character < 0xe000) ? 0xfffd : character;
    add(0xe0U | (valid >> 12U));
    add(0x80U | ((valid >> 6U) & 0x3fU));
    add(0x80U | (valid & 0x3fU));
  } else {
    add(0xf0U | (character >> 18U));
    add(0x80U | ((character >> 12U) & 0x3fU));
    add(0x80U | ((character >> 6U) & 0x3fU));
    add(0x80U | (character & 0x3fU));
  }
}

std::optional<std::uint32_t> parse_integer(std::string_view text) {
  if (text.size() > 64) {
    return std::nullopt;
  }
  std::string digits(text);
  std::erase(digits, '_');
  std::string_view rest = digits;
  int base = 10;
  if (rest.size() > 2 && rest[0] == '0') {
    const char letter = static_cast<char>(rest[1] | 0x20);
    base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
    rest.remove_prefix(base == 10 ? 0 : 2);
  }
  return number(rest, base);
}

}  // namespace glovebox::policy

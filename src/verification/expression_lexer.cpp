#include "verification/expression_lexer.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "base/text.h"
#include "base/utf8.h"

namespace glovebox::verification {
namespace {

using base::Result;

bool is_name_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_' ||
         base::is_digit(letter);
}

// Longer ones first.
constexpr std::array<std::string_view, 20> kSigns = {"==", "!=", "<=", ">=", "//", "<", ">", "+", "-", "*",
                                                     "/",  "%",  "(",  ")",  "[",  "]", ",", ".", "=", "!"};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Result<std::vector<Token>> run() {
    std::vector<Token> tokens;
    while (true) {
      at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
      tokens.push_back(TRY(next()));
      if (tokens.back().kind == Token::Kind::end) {
        return tokens;
      }
    }
  }

 private:
  Result<Token> next() {
    const std::size_t start = at_;
    if (at_ >= text_.size()) {
      return Token{Token::Kind::end, "the end", start};
    }
    const char letter = text_[at_];
    if (letter == '"' || letter == '\'') {
      return string(start, Escapes::decoded);
    }
    if (letter == 'r' && at_ + 1 < text_.size() && (text_[at_ + 1] == '"' || text_[at_ + 1] == '\'')) {
      ++at_;
      return string(start, Escapes::kept);
    }
    if (base::is_digit(letter)) {
      return number(start);
    }
    if (is_name_letter(letter)) {
      while (at_ < text_.size() && is_name_letter(text_[at_])) {
        ++at_;
      }
      return Token{Token::Kind::name, std::string(text_.substr(start, at_ - start)), start};
    }
    for (const std::string_view sign : kSigns) {
      if (text_.substr(at_).starts_with(sign)) {
        at_ += sign.size();
        return Token{Token::Kind::sign, std::string(sign), start};
      }
    }
    return base::fail(
        error_at(start, fmt::format("\"{}\" is not part of the language", base::printable(text_.substr(at_, 1), 8))));
  }

  Token number(std::size_t start) {
    const auto digits = [this] {
      while (at_ < text_.size() && base::is_digit(text_[at_])) {
        ++at_;
      }
    };
    digits();
    if (at_ + 1 < text_.size() && text_[at_] == '.' && base::is_digit(text_[at_ + 1])) {
      ++at_;
      digits();
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      const std::size_t sign = at_ + 1 < text_.size() && (text_[at_ + 1] == '+' || text_[at_ + 1] == '-') ? 1 : 0;
      if (at_ + 1 + sign < text_.size() && base::is_digit(text_[at_ + 1 + sign])) {
        at_ += 1 + sign;
        digits();
      }
    }
    return {Token::Kind::number, std::string(text_.substr(start, at_ - start)), start};
  }

  enum class Escapes { decoded, kept };

  Result<Token> string(std::size_t start, Escapes escapes) {
    const char quote = text_[at_++];
    Token token{Token::Kind::string, "", start};
    while (at_ < text_.size() && text_[at_] != quote) {
      char letter = text_[at_++];
      if (letter == '\\' && escapes == Escapes::decoded) {
        const auto decoded = at_ < text_.size() ? escaped(text_[at_]) : std::nullopt;
        if (!decoded) {
          return base::fail(
              error_at(at_ - 1, "an escape that is not \\\\ \\\" \\' \\n \\r or \\t; r\"…\" keeps backslashes"));
        }
        letter = *decoded;
        ++at_;
      }
      token.text += letter;
    }
    if (at_ >= text_.size()) {
      return base::fail(error_at(start, "a string that is not closed"));
    }
    ++at_;
    return token;
  }

  static std::optional<char> escaped(char letter) {
    switch (letter) {
      case '\\':
      case '"':
      case '\'':
        return letter;
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      default:
        return std::nullopt;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

base::Error error_at(std::size_t position, std::string message) {
  return base::make_error(base::ErrorCode::invalid_request, fmt::format("column {}: {}", position + 1, message));
}

Result<std::vector<Token>> tokens_of(std::string_view text) {
  if (!base::is_valid_utf8(text)) {
    return base::fail(error_at(0, "not UTF-8"));
  }
  return Lexer(text).run();
}

}  // namespace glovebox::verification

#include "verification/pdf_value.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "verification/refusal.h"

namespace glovebox::verification {
namespace {

using base::Result;
using base::Status;

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxName = 1000;
constexpr std::size_t kValueBytes = 2 * sizeof(PdfValue);  // arrays grow by doubling, entries have a node around them
constexpr std::string_view kSpace("\0\t\n\f\r ", 6);
constexpr std::string_view kDelimiters = "()<>[]{}/%";

bool is_space(char letter) { return kSpace.find(letter) != kSpace.npos; }
bool is_regular(char letter) { return !is_space(letter) && kDelimiters.find(letter) == kDelimiters.npos; }

tl::unexpected<base::Error> damaged() { return refuse("an object is damaged"); }

}  // namespace

const PdfValue* PdfValue::find(const std::string& key) const {
  const auto found = entries.find(key);
  return found == entries.end() ? nullptr : &found->second;
}

std::optional<std::uint64_t> PdfValue::count(const std::string& key) const {
  const PdfValue* found = find(key);
  return found != nullptr && found->kind == Kind::number && found->number >= 0
             ? std::optional(static_cast<std::uint64_t>(found->number))
             : std::nullopt;
}

std::string_view PdfValue::name_of(const std::string& key) const {
  const PdfValue* found = find(key);
  return found != nullptr && found->kind == Kind::name ? std::string_view(found->name) : std::string_view();
}

void PdfParser::skip_space() {
  const std::size_t start = at_;
  while (at_ < text_.size() && (text_[at_] == '%' || is_space(text_[at_]))) {
    at_ = text_[at_] == '%' ? std::min(text_.find_first_of("\r\n", at_), text_.size()) : at_ + 1;
  }
  pay_since(start);
}

// Texts may overlap, so that many objects share one long comment.
void PdfParser::pay_since(std::size_t start) {
  if (!budget_.spend((at_ - start) / 16)) {
    at_ = text_.size();
  }
}

std::optional<std::uint64_t> PdfParser::take_number() {
  skip_space();
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
  if (problem != std::errc()) {
    return std::nullopt;
  }
  const std::size_t start = std::exchange(at_, static_cast<std::size_t>(end - text_.data()));
  pay_since(start);
  return number;
}

bool PdfParser::take_word(std::string_view word) {
  skip_space();
  const bool there = text_.substr(at_).starts_with(word) &&
                     (at_ + word.size() >= text_.size() || !is_regular(text_[at_ + word.size()]));
  at_ += there ? word.size() : 0;
  return there;
}

Result<PdfValue> PdfParser::value_at_depth(std::size_t depth) {
  skip_space();
  if (depth > kMaxDepth || at_ >= text_.size()) {
    return damaged();
  }
  if (!budget_.spend(4)) {
    return refuse(kOutOfBudget);
  }
  if (!budget_.hold(kValueBytes)) {
    return refuse(kOutOfMemory);
  }
  const char first = next();
  if (first == '<' && next(1) == '<') {
    return dictionary(depth);
  }
  if (first == '[') {
    return array(depth);
  }
  if (first == '/') {
    PdfValue value;
    value.kind = PdfValue::Kind::name;
    value.name = TRY(name());
    return value;
  }
  if (base::is_digit(first) || first == '-' || first == '+' || first == '.') {
    return number_or_reference();
  }
  if (first == '(' || first == '<') {
    TRY_STATUS(first == '(' ? skip_text() : skip_hexadecimal_text());
    return PdfValue();
  }
  return take_word("true") || take_word("false") || take_word("null") ? Result<PdfValue>(PdfValue()) : damaged();
}

Result<PdfValue> PdfParser::array(std::size_t depth) {
  ++at_;
  PdfValue value;
  value.kind = PdfValue::Kind::array;
  while (true) {
    skip_space();
    if (next() == ']') {
      ++at_;
      return value;
    }
    value.values.push_back(TRY(value_at_depth(depth + 1)));
  }
}

Result<PdfValue> PdfParser::dictionary(std::size_t depth) {
  at_ += 2;
  PdfValue value;
  value.kind = PdfValue::Kind::dictionary;
  while (true) {
    skip_space();
    if (next() == '>' && next(1) == '>') {
      at_ += 2;
      return value;
    }
    if (next() != '/') {
      return damaged();
    }
    std::string key = TRY(name());
    PdfValue entry = TRY(value_at_depth(depth + 1));
    if (!value.entries.emplace(std::move(key), std::move(entry)).second) {
      return refuse("a dictionary has a key twice, so that readers disagree");
    }
  }
}

// "12", "-3", "0.5", and "12 0 R" which is an object.
Result<PdfValue> PdfParser::number_or_reference() {
  PdfValue value;
  const std::size_t start = at_;
  bool whole = true;
  at_ += next() == '-' || next() == '+' ? 1 : 0;
  const std::size_t digits = at_;
  while (base::is_digit(next()) || next() == '.') {
    whole = whole && next() != '.';
    ++at_;
  }
  if (at_ == digits || (at_ < text_.size() && is_regular(next()))) {
    return damaged();
  }
  if (!budget_.spend((at_ - start) / 16)) {
    return refuse(kOutOfBudget);
  }
  if (!whole) {
    return value;
  }
  const std::size_t begin = text_[start] == '+' ? digits : start;
  if (std::from_chars(text_.data() + begin, text_.data() + at_, value.number).ec != std::errc()) {
    return damaged();
  }
  value.kind = PdfValue::Kind::number;
  if (start == digits) {
    const std::size_t behind = at_;
    if (take_number() && take_word("R")) {
      value.kind = PdfValue::Kind::reference;
    } else {
      at_ = behind;
    }
  }
  return value;
}

// #41 in a name is A.
Result<std::string> PdfParser::name() {
  ++at_;
  std::string text;
  while (at_ < text_.size() && is_regular(next())) {
    char letter = next();
    if (letter == '#' && at_ + 2 < text_.size()) {
      unsigned code = 0;
      const char* digits = text_.data() + at_ + 1;
      if (const auto [end, problem] = std::from_chars(digits, digits + 2, code, 16);
          problem == std::errc() && end == digits + 2) {
        letter = static_cast<char>(code);
        at_ += 2;
      }
    }
    text += letter;
    ++at_;
    if (text.size() > kMaxName) {
      return damaged();
    }
  }
  return budget_.hold(text.size()) ? Result<std::string>(std::move(text)) : refuse(kOutOfMemory);
}

// (a (nested) text \) like this)
Status PdfParser::skip_text() {
  const std::size_t start = at_;
  std::size_t open = 0;
  while (at_ < text_.size()) {
    const char letter = text_[at_++];
    if (letter == '\\') {
      ++at_;
    } else if (letter == '(') {
      ++open;
    } else if (letter == ')' && --open == 0) {
      return budget_.spend(1 + (at_ - start) / 16) ? Status() : refuse(kOutOfBudget);
    }
  }
  return damaged();
}

Status PdfParser::skip_hexadecimal_text() {
  const std::size_t end = text_.find('>', at_);
  if (end == text_.npos || !budget_.spend(1 + (end - at_) / 16)) {
    return damaged();
  }
  at_ = end + 1;
  return {};
}

}  // namespace glovebox::verification

#include "verification/xml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/utf8.h"
#include "verification/refusal.h"

namespace glovebox::verification {
namespace {

using base::Result;
using base::Status;

constexpr std::size_t kMaxElementDepth = 256;
constexpr std::size_t kMaxAttributes = 256;

bool is_xml_space(char letter) { return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r'; }
bool is_name_start(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_' || letter == ':' ||
         byte >= 0x80;
}
bool is_xml_name_letter(char letter) {
  return is_name_start(letter) || (letter >= '0' && letter <= '9') || letter == '-' || letter == '.';
}

class XmlReader {
 public:
  XmlReader(std::string_view text, WorkBudget& budget) : text_(text), budget_(budget) {}

  Result<XmlElement> read() {
    TRY_STATUS(check_letters());
    TRY_STATUS(read_declaration());
    while (at_ < text_.size()) {
      if (!budget_.spend(1)) {
        return refuse(kOutOfBudget);
      }
      TRY_STATUS(text_[at_] == '<' ? read_markup() : read_characters());
    }
    if (!open_.empty()) {
      return refuse(fmt::format("<{}> is not closed", base::printable(open_.back(), 60)));
    }
    return root_.name.empty() ? refuse("there is no element") : Result<XmlElement>(std::move(root_));
  }

 private:
  [[nodiscard]] tl::unexpected<base::Error> wrong(std::string_view what) const {
    const auto line =
        1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size())), '\n');
    return refuse(fmt::format("line {}: {}", line, what));
  }
  [[nodiscard]] bool starts(std::string_view part) const { return text_.substr(at_).starts_with(part); }

  // Passes over everything up to and with `end`.
  Result<std::string_view> until(std::string_view end, std::string_view what) {
    const std::size_t found = text_.find(end, at_);
    if (found == text_.npos) {
      return wrong(fmt::format("{} is not closed", what));
    }
    const std::string_view inner = text_.substr(at_, found - at_);
    at_ = found + end.size();
    return inner;
  }

  Status read_declaration() {
    if (starts("\xEF\xBB\xBF")) {
      at_ = 3;
    }
    if (!starts("<?xml") || at_ + 5 >= text_.size() || !is_xml_space(text_[at_ + 5])) {
      return {};
    }
    at_ += 5;
    std::string declaration(TRY(until("?>", "the XML declaration")));
    std::transform(declaration.begin(), declaration.end(), declaration.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    const bool other = declaration.find("encoding") != std::string::npos &&
                       declaration.find("utf-8") == std::string::npos && declaration.find("ascii") == std::string::npos;
    return other ? wrong("an encoding other than UTF-8") : Status();
  }

  Status read_markup() {
    if (starts("<!--")) {
      at_ += 4;
      const std::string_view comment = TRY(until("-->", "a comment"));
      return comment.find("--") != comment.npos || comment.ends_with('-') ? wrong("-- inside a comment") : Status();
    }
    if (starts("<![CDATA[")) {
      at_ += 9;
      TRY(until("]]>", "CDATA"));
      return open_.empty() ? wrong("CDATA outside of the root") : Status();
    }
    if (starts("<!DOCTYPE")) {
      return read_doctype();
    }
    if (starts("<?")) {
      at_ += 2;
      const std::string_view instruction = TRY(until("?>", "a processing instruction"));
      const std::string_view target = instruction.substr(0, instruction.find_first_of(" \t\r\n"));
      const bool named = !target.empty() && is_name_start(target.front()) &&
                         std::all_of(target.begin(), target.end(), is_xml_name_letter);
      return !named || is_reserved(target) ? wrong("a processing instruction out of place") : Status();
    }
    return starts("</") ? read_end_tag() : read_start_tag();
  }

  // "xml" in any case is the declaration's own name; xml-stylesheet is another one.
  static bool is_reserved(std::string_view target) {
    return target.size() == 3 && (target[0] == 'x' || target[0] == 'X') && (target[1] == 'm' || target[1] == 'M') &&
           (target[2] == 'l' || target[2] == 'L');
  }

  // XML has no control characters but tab and the ends of lines, and neither U+FFFE nor U+FFFF.
  Status check_letters() {
    for (at_ = 0; at_ < text_.size(); ++at_) {
      const auto byte = static_cast<unsigned char>(text_[at_]);
      const bool control = byte < 0x20 && !is_xml_space(text_[at_]);
      const bool no_character = byte == 0xEF && (starts("\xEF\xBF\xBE") || starts("\xEF\xBF\xBF"));
      if (control || no_character) {
        return wrong("a character that XML does not have");
      }
    }
    at_ = 0;
    return {};
  }

  Status read_doctype() {
    if (!root_.name.empty() || doctype_) {
      return wrong("a document type out of place");
    }
    doctype_ = true;
    at_ += std::string_view("<!DOCTYPE").size();
    const std::string_view inner = TRY(until(">", "the document type"));
    return inner.find_first_of("[<") != inner.npos ? wrong("a document type with declarations of its own is refused")
                                                   : Status();
  }

  Result<std::string_view> read_name() {
    const std::size_t start = at_;
    if (at_ >= text_.size() || !is_name_start(text_[at_])) {
      return wrong("a name has to stand here");
    }
    while (at_ < text_.size() && is_xml_name_letter(text_[at_])) {
      ++at_;
    }
    return text_.substr(start, at_ - start);
  }

  bool skip_space() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_xml_space(text_[at_])) {
      ++at_;
    }
    return at_ != start;
  }

  Status read_end_tag() {
    at_ += 2;
    const std::string_view name = TRY(read_name());
    skip_space();
    if (!starts(">")) {
      return wrong("an end tag that does not end");
    }
    ++at_;
    if (open_.empty() || open_.back() != name) {
      return wrong(fmt::format("</{}> closes nothing that is open", base::printable(name, 60)));
    }
    open_.pop_back();
    return {};
  }

  Status read_start_tag() {
    ++at_;
    const std::string_view name = TRY(read_name());
    if (open_.empty() && !root_.name.empty()) {
      return wrong("a second root element");
    }
    std::vector<XmlAttribute> attributes;
    while (true) {
      const bool spaced = skip_space();
      if (starts("/>") || starts(">")) {
        break;
      }
      if (!spaced || attributes.size() >= kMaxAttributes) {
        return wrong(spaced ? "too many attributes" : "a tag that is damaged");
      }
      attributes.push_back(TRY(read_attribute()));
    }
    if (!budget_.spend(1 + attributes.size())) {
      return refuse(kOutOfBudget);
    }
    TRY_STATUS(check_distinct(attributes));
    if (root_.name.empty()) {
      root_ = {name, attributes};
    }
    const bool empty = starts("/>");
    at_ += empty ? 2 : 1;
    if (!empty) {
      open_.push_back(name);
    }
    return open_.size() > kMaxElementDepth ? wrong("nested too deep") : Status();
  }

  Result<XmlAttribute> read_attribute() {
    XmlAttribute attribute;
    attribute.name = TRY(read_name());
    skip_space();
    if (!starts("=")) {
      return wrong("an attribute without a value");
    }
    ++at_;
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '"' && quote != '\'') {
      return wrong("a value without quotes");
    }
    ++at_;
    attribute.value = TRY(until(std::string_view(&quote, 1), "a value"));
    if (attribute.value.find('<') != attribute.value.npos) {
      return wrong("< inside a value");
    }
    TRY_STATUS(check_references(attribute.value));
    return attribute;
  }

  [[nodiscard]] Status check_distinct(const std::vector<XmlAttribute>& attributes) const {
    std::vector<std::string_view> names;
    names.reserve(attributes.size());
    for (const XmlAttribute& attribute : attributes) {
      names.push_back(attribute.name);
    }
    std::sort(names.begin(), names.end());
    return std::adjacent_find(names.begin(), names.end()) != names.end() ? wrong("an attribute that is there twice")
                                                                         : Status();
  }

  Status read_characters() {
    const std::size_t end = std::min(text_.find('<', at_), text_.size());
    const std::string_view part = text_.substr(at_, end - at_);
    if (open_.empty() && !std::all_of(part.begin(), part.end(), is_xml_space)) {
      return wrong("text outside of the root element");
    }
    if (part.find("]]>") != part.npos) {
      return wrong("]]> in text");
    }
    TRY_STATUS(check_references(part));
    at_ = end;
    return {};
  }

  // &amp; and the like, or a character by its number. Anything else would be an entity, and there are none.
  [[nodiscard]] Status check_references(std::string_view part) const {
    for (std::size_t at = part.find('&'); at != part.npos; at = part.find('&', at + 1)) {
      const std::size_t end = part.find(';', at);
      const std::string_view name = end == part.npos || end - at > 12 ? "" : part.substr(at + 1, end - at - 1);
      const bool predefined = name == "amp" || name == "lt" || name == "gt" || name == "quot" || name == "apos";
      if (!predefined && !is_character_number(name)) {
        return wrong("& without the name of a known character");
      }
    }
    return {};
  }

  static bool is_character_number(std::string_view name) {
    if (!name.starts_with('#')) {
      return false;
    }
    const bool hexadecimal = name.starts_with("#x");
    const std::string_view digits = name.substr(hexadecimal ? 2 : 1);
    unsigned number = 0;
    const auto [end, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number, hexadecimal ? 16 : 10);
    const bool allowed = number == 9 || number == 10 || number == 13 || (number >= 0x20 && number < 0xD800) ||
                         (number >= 0xE000 && number <= 0x10FFFF && number != 0xFFFE && number != 0xFFFF);
    return !digits.empty() && problem == std::errc() && end == digits.data() + digits.size() && allowed;
  }

  std::string_view text_;
  WorkBudget& budget_;
  std::size_t at_ = 0;
  bool doctype_ = false;
  std::vector<std::string_view> open_;
  XmlElement root_;
};

}  // namespace

Result<XmlElement> read_xml(std::string_view text, WorkBudget& budget) { return XmlReader(text, budget).read(); }

}  // namespace glovebox::verification

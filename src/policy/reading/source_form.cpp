#include "policy/reading/source_form.h"

#include <algorithm>
#include <array>

namespace glovebox::policy {
namespace {

constexpr std::string_view kEncodedByteOrderMark = "\xef\xbb\xbf";
constexpr std::string_view kBlanks = " \t\f";
constexpr std::string_view kTwoLetters = "\x01\x01";  // that no grammar knows as blanks
constexpr std::string_view kLetter = kTwoLetters.substr(1);

// Python's aliases, as its codecs spell them: small letters, every other character an underscore.
constexpr std::array<std::string_view, 7> kUtf8 = {"u8", "utf", "utf8", "utf8_ucs2", "utf8_ucs4", "utf_8", "utf_8_sig"};
constexpr std::array<std::string_view, 19> kPlain = {
    "646",    "8859",      "ansi_x3_4_1968", "ascii",     "cp367",      "cp819",       "ibm367",
    "ibm819", "iso646_us", "iso8859",        "iso8859_1", "iso_8859_1", "iso_latin_1", "l1",
    "latin",  "latin1",    "latin_1",        "us",        "us_ascii"};

bool is_letter_or_digit(char each) {
  return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') || (each >= '0' && each <= '9');
}

std::string spelled_as_codec(std::string_view name) {
  std::string result;
  for (const char each : name) {
    const bool is_capital = each >= 'A' && each <= 'Z';
    result += !is_letter_or_digit(each) ? '_' : is_capital ? static_cast<char>(each | 0x20) : each;
  }
  return result;
}

// The encoding that a line names as Python's tokenizer finds it: "coding", a colon or an equals sign, and a name.
std::string_view encoding_in(std::string_view line) {
  const std::size_t start = line.find_first_not_of(kBlanks);
  if (start == std::string_view::npos || line[start] != '#') {
    return {};
  }
  constexpr std::string_view kWord = "coding";
  for (std::size_t at = line.find(kWord, start); at != std::string_view::npos; at = line.find(kWord, at + 1)) {
    std::string_view rest = line.substr(at + kWord.size());
    if (!rest.starts_with(':') && !rest.starts_with('=')) {
      continue;
    }
    rest.remove_prefix(1);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    const auto* const end = std::find_if(rest.begin(), rest.end(), [](char each) {
      return !is_letter_or_digit(each) && each != '-' && each != '_' && each != '.';
    });
    if (end != rest.begin()) {
      return rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    }
  }
  return {};
}

// Whether an odd number of backslashes stands before it.
bool is_escaped(std::string_view text, std::size_t at) {
  const std::size_t before = text.substr(0, at).find_last_not_of('\\');
  return (at - (before == std::string_view::npos ? 0 : before + 1)) % 2 == 1;
}

// U+2028 or U+2029 at the end of a first line "#!…", which all other comments end at by the grammar; nothing: none.
std::size_t end_of_hashbang(std::string_view text) {
  const std::string_view begin =
      text.substr(text.starts_with(kEncodedByteOrderMark) ? kEncodedByteOrderMark.size() : 0);
  const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
  return begin.starts_with("#!") ? std::min(line.find("\xe2\x80\xa8"), line.find("\xe2\x80\xa9"))
                                 : std::string_view::npos;
}

// A line that may stand before the one with the encoding: nothing, or a comment.
bool is_without_code(std::string_view line) {
  const std::size_t start = line.find_first_not_of(" \t\f\r");
  return start == std::string_view::npos || line[start] == '#';
}

std::optional<HiddenText> find_other_encoding(std::string_view text) {
  std::size_t start = text.starts_with(kEncodedByteOrderMark) ? kEncodedByteOrderMark.size() : 0;
  for (int line_number = 0; line_number < 2 && start < text.size(); ++line_number) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    if (const std::string_view name = encoding_in(line); !name.empty()) {
      const std::string codec = spelled_as_codec(name);
      const bool is_utf8 = std::find(kUtf8.begin(), kUtf8.end(), codec) != kUtf8.end() || codec.starts_with("utf_8_");
      const bool is_plain = std::find(kPlain.begin(), kPlain.end(), codec) != kPlain.end();
      // Latin-1 and ASCII are what the text shows as long as it has nothing else.
      const bool is_shown =
          is_utf8 || (is_plain && std::none_of(text.begin(), text.end(), [](char each) { return (each & 0x80) != 0; }));
      return is_shown ? std::nullopt
                      : std::optional<HiddenText>({"written in another encoding than UTF-8",
                                                   static_cast<std::uint32_t>(name.data() - text.data())});
    }
    if (!is_without_code(line)) {
      return std::nullopt;
    }
    start = end + 1;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> with_plain_separators(Syntax syntax, std::string_view text) {
  std::optional<std::string> result;
  const auto replace = [&](std::size_t at, std::string_view by) {
    if (!result) {
      result = std::string(text);
    }
    result->replace(at, by.size(), by);
  };
  for (std::size_t at = text.find('\r'); at != std::string_view::npos; at = text.find('\r', at + 1)) {
    if (at + 1 == text.size() || text[at + 1] != '\n') {
      replace(at, syntax == Syntax::shell ? kLetter : "\n");
    }
  }
  if (syntax == Syntax::shell) {
    for (std::size_t at = text.find("\\\t"); at != std::string_view::npos; at = text.find("\\\t", at + 1)) {
      if (is_escaped(text, at + 1)) {
        replace(at, kTwoLetters);
      }
    }
    for (std::size_t at = text.find_first_of("\f\v"); at != std::string_view::npos;
         at = text.find_first_of("\f\v", at + 1)) {
      replace(at, kLetter);
    }
  }
  if (const std::size_t end = syntax == Syntax::javascript ? end_of_hashbang(text) : std::string_view::npos;
      end != std::string_view::npos) {
    replace(end, "\n  ");
  }
  return result;
}

std::optional<HiddenText> find_hidden_text(Syntax syntax, std::string_view text) {
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    return HiddenText{"a zero byte", static_cast<std::uint32_t>(zero)};
  }
  return syntax == Syntax::python ? find_other_encoding(text) : std::nullopt;
}

std::optional<HiddenText> find_unclear_comment(Syntax syntax, std::string_view text, const SyntaxTree& tree) {
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  if (syntax != Syntax::javascript || (!has("<!--") && !has("-->"))) {
    return std::nullopt;
  }
  for (const SyntaxNode& node : tree.nodes) {
    const bool opens =
        node.kind == Kind::unary_expression && node.start > 0 && text.substr(node.start - 1).starts_with("<!--");
    bool closes = false;
    if (node.first_child != kNoNode && node.end >= 2 && text.substr(node.end - 2).starts_with("-->")) {
      const std::uint32_t value_end = tree[node.first_child].end;
      const std::string_view between = text.substr(value_end, std::max(node.end - 2, value_end) - value_end);
      closes = between.find_first_of("\r\n\xe2") != std::string_view::npos;  // the first byte of U+2028
    }
    if (opens || closes) {
      return HiddenText{"a comment to some and code to others", node.start};
    }
  }
  return std::nullopt;
}

}  // namespace glovebox::policy

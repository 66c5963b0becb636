#include "telemetry/log_line.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/utf8.h"

namespace glovebox::telemetry {
namespace {

constexpr std::size_t kLongestKey = 64;
constexpr std::size_t kLongestValue = 2048;  // one value must leave room for the others
constexpr std::size_t kReserved = 32;        // for the mark of a truncated line, and the end

std::string clean_key(std::string_view key) {
  std::string clean;
  for (const char letter : key.substr(0, kLongestKey)) {
    const char lower = static_cast<char>(letter | 0x20);
    const bool harmless = (lower >= 'a' && lower <= 'z') || (letter >= '0' && letter <= '9') || letter == '_' ||
                          letter == '.' || letter == '-';
    clean += harmless ? letter : '_';
  }
  return clean.empty() ? "_" : clean;
}

std::size_t sequence_length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

// One character of valid UTF-8 as it stands between quotes. JSON and logfmt share these escapes.
std::string escape_character(std::string_view character) {
  switch (character.front()) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      break;
  }
  // U+2028 and U+2029 end a line for some readers.
  const bool separator = character == "\xe2\x80\xa8" || character == "\xe2\x80\xa9";
  if (!separator && !base::has_deceptive_characters(character)) {
    return std::string(character);
  }
  char32_t point = static_cast<unsigned char>(character.front());
  if (character.size() > 1) {
    point &= 0x7fU >> character.size();
    for (const char next : character.substr(1)) {
      point = point << 6U | (static_cast<unsigned char>(next) & 0x3fU);
    }
  }
  const auto code = static_cast<std::uint32_t>(point);
  if (code < 0x10000) {
    return fmt::format("\\u{:04x}", code);
  }
  const std::uint32_t offset = code - 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (offset >> 10U), 0xdc00 + (offset & 0x3ffU));
}

struct Quoted {
  std::string text;
  bool cut = false;
};

// At most `room` bytes with the quotes.
Quoted quote(std::string_view bytes, std::size_t room) {
  // Escaping never shortens by more than what was malformed; this bounds the work on a huge value.
  const bool huge = bytes.size() > kLongestValue;
  const std::string text = base::to_valid_utf8(bytes.substr(0, kLongestValue));
  Quoted quoted{"\"", huge};
  for (std::size_t index = 0; index < text.size();) {
    const std::size_t length = sequence_length(text[index]);
    const std::string escaped = escape_character(std::string_view(text).substr(index, length));
    if (quoted.text.size() + escaped.size() + 1 > room) {
      quoted.cut = true;
      break;
    }
    quoted.text += escaped;
    index += length;
  }
  quoted.text += '"';
  return quoted;
}

// logfmt leaves quotes out where nothing can be mistaken.
bool is_bare(std::string_view text) {
  const auto harmless = [](char letter) {
    return letter > ' ' && letter <= '~' && letter != '"' && letter != '=' && letter != '\\';
  };
  return !text.empty() && text.size() < kLongestValue && std::all_of(text.begin(), text.end(), harmless);
}

std::string format_double(double value) { return std::isfinite(value) ? fmt::format("{}", value) : std::string(); }

}  // namespace

std::string format_time(std::chrono::system_clock::time_point time) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(time);
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(time - whole).count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(whole)), micros);
}

void LogLine::add(const LogField& field) {
  const std::string key = unique_key(field.key);
  const std::size_t overhead = key.size() + 4;  // ,"key":
  const std::size_t used = text_.size() + overhead + kReserved;
  constexpr std::size_t kLeast = 8;
  if (used + kLeast > kMostBytes) {
    truncated_ = true;
    return;
  }
  const std::string value = format_value(field, std::min(kMostBytes - used, kLongestValue));
  if (used + value.size() > kMostBytes) {
    truncated_ = true;  // a number that does not fit is left out: half a number is another one
    return;
  }
  keys_ += "\n" + key + "\n";
  if (format_ == LogFormat::json) {
    text_ += fmt::format("{}\"{}\":{}", text_.empty() ? "{" : ",", key, value);
  } else {
    text_ += fmt::format("{}{}={}", text_.empty() ? "" : " ", key, value);
  }
}

std::string LogLine::take() {
  if (truncated_) {
    text_ += format_ == LogFormat::json ? ",\"truncated\":true" : " truncated=true";
  }
  text_ += format_ == LogFormat::json ? "}\n" : "\n";
  return std::move(text_);
}

// A key that is there already gets a mark: of two equal ones some readers believe the first, others the last.
std::string LogLine::unique_key(std::string_view key) const {
  std::string unique = clean_key(key);
  while (unique == "truncated" || keys_.find("\n" + unique + "\n") != std::string::npos) {
    unique += '_';
  }
  return unique;
}

std::string LogLine::format_value(const LogField& field, std::size_t room) {
  return std::visit(
      [&](const auto& value) -> std::string {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::string_view>) {
          if (format_ == LogFormat::logfmt && is_bare(value) && value.size() <= room) {
            return std::string(value);
          }
          Quoted quoted = quote(value, room);
          truncated_ = truncated_ || quoted.cut;
          return std::move(quoted.text);
        } else if constexpr (std::is_same_v<Value, double>) {
          const std::string digits = format_double(value);
          return digits.empty() ? "null" : digits;  // JSON has no NaN
        } else {
          return fmt::format("{}", value);
        }
      },
      field.value);
}

}  // namespace glovebox::telemetry

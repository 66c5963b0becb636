#include "base/utf8.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace glovebox::base {
namespace {

struct Decoded {
  char32_t point = 0;
  std::size_t length = 1;  // bytes consumed, also for a malformed sequence
  bool valid = false;
};

std::uint8_t at(std::string_view bytes, std::size_t index) { return static_cast<std::uint8_t>(bytes[index]); }

// Decodes one scalar value at `index`; on malformed input consumes the maximal subpart.
Decoded decode(std::string_view bytes, std::size_t index) {
  const std::uint8_t lead = at(bytes, index);
  if (lead < 0x80) {
    return {lead, 1, true};
  }
  std::size_t needed = 0;
  char32_t point = 0;
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xbf;
  if (lead >= 0xc2 && lead <= 0xdf) {
    needed = 1;
    point = lead & 0x1fU;
  } else if (lead >= 0xe0 && lead <= 0xef) {
    needed = 2;
    point = lead & 0x0fU;
    low = lead == 0xe0 ? 0xa0 : 0x80;
    high = lead == 0xed ? 0x9f : 0xbf;
  } else if (lead >= 0xf0 && lead <= 0xf4) {
    needed = 3;
    point = lead & 0x07U;
    low = lead == 0xf0 ? 0x90 : 0x80;
    high = lead == 0xf4 ? 0x8f : 0xbf;
  } else {
    return {};
  }
  for (std::size_t step = 1; step <= needed; ++step) {
    if (index + step >= bytes.size()) {
      return {0, step, false};
    }
    const std::uint8_t next = at(bytes, index + step);
    if (next < low || next > high) {
      return {0, step, false};
    }
    point = (point << 6U) | (next & 0x3fU);
    low = 0x80;
    high = 0xbf;
  }
  return {point, needed + 1, true};
}

constexpr std::string_view kReplacement = "\xef\xbf\xbd";
constexpr char kEscape = '\x1b';

bool is_final_byte(char byte) { return byte >= 0x40 && byte <= 0x7e; }

// The length of the escape sequence that starts at `index` (which holds ESC). Unterminated: to the end.
std::size_t escape_length(std::string_view text, std::size_t index) {
  if (index + 1 >= text.size()) {
    return 1;
  }
  const char kind = text[index + 1];
  std::size_t end = index + 2;
  if (kind == '[') {
    while (end < text.size() && !is_final_byte(text[end])) {
      ++end;
    }
    return (end < text.size() ? end + 1 : end) - index;
  }
  if (kind == ']' || kind == 'P' || kind == '^' || kind == '_' || kind == 'X') {
    while (end < text.size() && text[end] != '\a' &&
           !(text[end] == kEscape && end + 1 < text.size() && text[end + 1] == '\\')) {
      ++end;
    }
    if (end >= text.size()) {
      return text.size() - index;
    }
    return (text[end] == '\a' ? end + 1 : end + 2) - index;
  }
  while (end - 1 < text.size() && text[end - 1] >= 0x20 && text[end - 1] <= 0x2f) {
    ++end;
  }
  return (end < text.size() ? end : text.size()) - index;
}

// C1 controls act like escape sequences on some terminals; bidi overrides, invisible operators and tag characters
// disguise text or carry some that nobody sees. Joiners stay: scripts and emoji need them.
bool is_deceptive(char32_t point) {
  return (point >= 0x80 && point <= 0x9f) || (point >= 0x202a && point <= 0x202e) ||
         (point >= 0x2060 && point <= 0x206f) || point == 0x200b || point == 0x200e || point == 0x200f ||
         point == 0x061c || point == 0xfeff || (point >= 0xe0000 && point <= 0xe007f);
}

// What ordinary text may well contain, but nobody sees in a line of code: separators that end a comment for a runtime
// and not for a terminal, fillers that are names, soft hyphens, selectors that carry hidden text.
bool is_invisible(char32_t point) {
  constexpr std::array<char32_t, 9> kSingle = {0x00ad, 0x034f, 0x115f, 0x1160, 0x180e, 0x2028, 0x2029, 0x3164, 0xffa0};
  return (point >= 0xe0100 && point <= 0xe01ef) || std::find(kSingle.begin(), kSingle.end(), point) != kSingle.end();
}

}  // namespace

bool is_valid_utf8(std::string_view bytes) {
  std::size_t index = 0;
  while (index < bytes.size()) {
    const Decoded decoded = decode(bytes, index);
    if (!decoded.valid) {
      return false;
    }
    index += decoded.length;
  }
  return true;
}

std::size_t count_characters(std::string_view text) {
  constexpr unsigned kMark = 0xc0U;
  constexpr unsigned kContinuation = 0x80U;
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & kMark) != kContinuation; }));
}

std::string to_valid_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  std::size_t index = 0;
  while (index < bytes.size()) {
    const Decoded decoded = decode(bytes, index);
    text += decoded.valid ? bytes.substr(index, decoded.length) : kReplacement;
    index += decoded.length;
  }
  return text;
}

std::string sanitize_output(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  std::size_t index = 0;
  while (index < bytes.size()) {
    const char byte = bytes[index];
    if (byte == kEscape) {
      index += escape_length(bytes, index);
      continue;
    }
    if (static_cast<unsigned char>(byte) < 0x80) {
      const bool keep = (byte >= 0x20 && byte != 0x7f) || byte == '\n' || byte == '\t' ||
                        (byte == '\r' && index + 1 < bytes.size() && bytes[index + 1] == '\n');
      if (keep) {
        text += byte;
      }
      ++index;
      continue;
    }
    const Decoded decoded = decode(bytes, index);
    if (!decoded.valid) {
      text += kReplacement;
    } else if (!is_deceptive(decoded.point)) {
      text += bytes.substr(index, decoded.length);
    }
    index += decoded.length;
  }
  return text;
}

std::size_t complete_prefix(std::string_view bytes) {
  constexpr std::size_t kLongestSequence = 4096;
  const std::size_t escape = bytes.rfind(kEscape);
  if (escape != std::string_view::npos && bytes.size() - escape < kLongestSequence &&
      escape + escape_length(bytes, escape) >= bytes.size()) {
    const char kind = escape + 1 < bytes.size() ? bytes[escape + 1] : '\0';
    const bool string = kind == ']' || kind == 'P' || kind == '^' || kind == '_' || kind == 'X';
    const bool finished = bytes.size() - escape > 1 && (string ? bytes.back() == '\a' : is_final_byte(bytes.back()));
    if (!finished || (kind == '[' && bytes.size() - escape == 2)) {
      return escape;
    }
  }
  const std::size_t tail = bytes.size() < 3 ? bytes.size() : 3;
  for (std::size_t back = 1; back <= tail; ++back) {
    const std::uint8_t byte = at(bytes, bytes.size() - back);
    if (byte >= 0xc0) {
      const std::size_t needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return needed > back ? bytes.size() - back : bytes.size();
    }
    if (byte < 0x80) {
      break;
    }
  }
  return bytes.size();
}

bool has_deceptive_characters(std::string_view text) {
  std::size_t index = 0;
  while (index < text.size()) {
    const Decoded decoded = decode(text, index);
    if (decoded.point < 0x20 || decoded.point == 0x7f || is_deceptive(decoded.point)) {
      return true;
    }
    index += decoded.length;
  }
  return false;
}

std::string printable(std::string_view bytes, std::size_t max_bytes) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  std::size_t index = 0;
  while (index < bytes.size()) {
    if (text.size() >= max_bytes) {
      return text + "…";
    }
    const Decoded decoded = decode(bytes, index);
    if (decoded.valid && decoded.point >= 0x20 && decoded.point != 0x7f && !is_deceptive(decoded.point) &&
        !is_invisible(decoded.point)) {
      text += bytes.substr(index, decoded.length);
      index += decoded.length;
      continue;
    }
    for (std::size_t step = 0; step < decoded.length; ++step) {
      const std::uint8_t value = at(bytes, index + step);
      text += "\\x";
      text += kHex[value >> 4U];
      text += kHex[value & 0x0fU];
    }
    index += decoded.length;
  }
  return text;
}

}  // namespace glovebox::base

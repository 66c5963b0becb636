#include "policy/reading/source_lexer.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace glovebox::policy {
namespace {

struct Decoded {
  std::int32_t character = -1;
  std::uint32_t width = 1;
};

Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t index) { return static_cast<std::uint8_t>(text[index]); };
  const std::uint8_t lead = byte(0);
  const std::uint32_t width = lead >= 0xf0 && lead < 0xf5   ? 4
                              : lead >= 0xe0 && lead < 0xf0 ? 3
                              : lead >= 0xc2 && lead < 0xe0 ? 2
                                                            : 0;
  if (width == 0 || text.size() < width) {
    return {};
  }
  std::uint32_t character = lead & (0x7fU >> width);
  for (std::uint32_t each = 1; each < width; ++each) {
    if ((byte(each) & 0xc0U) != 0x80) {
      return {};
    }
    character = (character << 6U) | (byte(each) & 0x3fU);
  }
  const bool too_long = (width == 3 && character < 0x800) || (width == 4 && character < 0x1'0000);
  if (too_long || character > 0x10'ffff || (character >= 0xd800 && character < 0xe000)) {
    return {};
  }
  return {static_cast<std::int32_t>(character), width};
}

constexpr std::int32_t kByteOrderMark = 0xfeff;

void ignore_log(const TSLexer*, const char*, ...) {}

}  // namespace

SourceLexer& SourceLexer::of(const TSLexer* lexer) {
  static_assert(offsetof(SourceLexer, base) == 0 && std::is_standard_layout_v<SourceLexer>);
  return *reinterpret_cast<SourceLexer*>(const_cast<TSLexer*>(lexer));
}

// In the callbacks below it has to be fast: a program's every character comes by here, some several times.
inline void SourceLexer::look() {
  if (--steps_left == 0) [[unlikely]] {
    look_at_clock();
  }
  if (position < text.size() && static_cast<std::uint8_t>(text[position]) < 0x80) [[likely]] {
    base.lookahead = static_cast<std::uint8_t>(text[position]);
    width = 1;
  } else {
    look_beyond_ascii();
  }
}

void SourceLexer::look_beyond_ascii() {
  if (position >= text.size()) {
    base.lookahead = 0;
    width = 0;
    return;
  }
  const Decoded next = decode(text.substr(position));
  base.lookahead = next.character;
  width = next.width;
}

SourceLexer::SourceLexer(std::string_view source, Clock::time_point until) : text(source), deadline(until) {
  base.advance = [](TSLexer* lexer, bool skip) {
    SourceLexer& self = of(lexer);
    self.position += self.width;
    if (skip) {
      self.token_start = self.position;
    }
    self.look();
  };
  base.mark_end = [](TSLexer* lexer) {
    SourceLexer& self = of(lexer);
    self.token_end = self.position;
    self.end_marked = true;
  };
  base.get_column = [](TSLexer* lexer) {
    const SourceLexer& self = of(lexer);
    std::uint32_t column = 0;
    for (std::uint32_t at = self.position; at > 0 && self.text[at - 1] != '\n'; --at) {
      column += (static_cast<std::uint8_t>(self.text[at - 1]) & 0xc0U) != 0x80 ? 1 : 0;
    }
    return column;
  };
  base.is_at_included_range_start = [](const TSLexer*) { return false; };
  base.eof = [](const TSLexer* lexer) { return of(lexer).position == of(lexer).text.size(); };
  base.log = ignore_log;
}

void SourceLexer::start(std::uint32_t at) {
  position = at;
  end_marked = false;
  base.result_symbol = 0;
  look();
  if (at == 0 && base.lookahead == kByteOrderMark) {
    position = width;
    look();
  }
  token_start = position;
}

void SourceLexer::finish() {
  if (!end_marked) {
    token_end = position;
  }
  token_start = std::min(token_start, token_end);
}

void SourceLexer::look_at_clock() {
  steps_left = kStepsPerLook;
  if (Clock::now() > deadline) {
    out_of_time = true;
    text = text.substr(0, position);
  }
}

}  // namespace glovebox::policy

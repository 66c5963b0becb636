// The text as tree-sitter's generated lexers and scanners want it: one character of lookahead, decoded from UTF-8.
//
// Only table_parser.cpp uses it. The semantics are those of tree-sitter's own lexer: NUL at the end, -1 for a byte that
// is no UTF-8, a byte order mark at the beginning passed over.
#pragma once

#include <tree_sitter/parser.h>

#include <chrono>
#include <cstdint>
#include <string_view>

namespace glovebox::policy {

struct SourceLexer {
  using Clock = std::chrono::steady_clock;

  TSLexer base{};  // first, so that the callbacks find the rest
  std::string_view text;
  std::uint32_t position = 0;
  std::uint32_t width = 0;  // of the lookahead, in bytes
  std::uint32_t token_start = 0;
  std::uint32_t token_end = 0;
  bool end_marked = false;
  // A scanner may read far ahead for each token: the clock is asked after so many characters, and afterwards the text
  // is at its end.
  std::uint32_t steps_left = kStepsPerLook;
  Clock::time_point deadline;
  bool out_of_time = false;

  SourceLexer(std::string_view source, Clock::time_point until);

  void start(std::uint32_t at);
  void finish();

 private:
  static constexpr std::uint32_t kStepsPerLook = 16'384;

  void look();
  void look_beyond_ascii();
  void look_at_clock();
  static SourceLexer& of(const TSLexer* lexer);
};

}  // namespace glovebox::policy

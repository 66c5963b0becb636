// A text's tokens, by the grammar's generated lexer and its handwritten scanner.
//
// Which tokens are looked for depends on the parser's state. The scanner remembers things between tokens (open
// here-documents, indentation), so going back in the text means to put its memory back as well.
#pragma once

#include <tree_sitter/parser.h>

#include <array>
#include <cstdint>

#include "policy/reading/grammar.h"
#include "policy/reading/parse_tables.h"
#include "policy/reading/source_lexer.h"

namespace glovebox::policy {

struct Token {
  TSSymbol symbol = 0;
  bool keyword = false;  // it may be an ordinary word as well
  std::uint32_t start = 0;
  std::uint32_t end = 0;
};

class TokenSource {
 public:
  struct Memory {
    std::array<char, TREE_SITTER_SERIALIZATION_BUFFER_SIZE> bytes;
    unsigned size = 0;
  };

  TokenSource(const Grammar& grammar, ParseTables& tables);
  TokenSource(const TokenSource&) = delete;
  TokenSource& operator=(const TokenSource&) = delete;
  ~TokenSource();

  void forget();
  // The token from `token.end` on; false: there is none that the state has a use for.
  [[nodiscard]] bool next(SourceLexer& lexer, std::uint16_t state, Token& token);
  void save(Memory& memory) const;
  void restore(const Memory& memory);

 private:
  [[nodiscard]] bool scan(SourceLexer& lexer, std::uint16_t scanner_state, std::uint32_t at, Token& token);
  void recognise_keyword(SourceLexer& lexer, std::uint16_t state, Token& token);

  const Grammar& grammar_;
  const TSLanguage& language_;
  ParseTables& tables_;
  void* scanner_;
  Memory last_;  // after its last token, of a scanner that needs it
};

}  // namespace glovebox::policy

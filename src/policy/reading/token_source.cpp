#include "policy/reading/token_source.h"

#include <algorithm>

namespace glovebox::policy {
namespace {

constexpr std::uint16_t kNoLexState = 0xffff;

}  // namespace

TokenSource::TokenSource(const Grammar& grammar, ParseTables& tables)
    : grammar_(grammar), language_(*grammar.language), tables_(tables), scanner_(language_.external_scanner.create()) {}

TokenSource::~TokenSource() { language_.external_scanner.destroy(scanner_); }

void TokenSource::forget() {
  last_.size = 0;
  if (grammar_.scanner_needs_undo) {
    // Such a scanner does not even forget everything when it is told to.
    language_.external_scanner.destroy(scanner_);
    scanner_ = language_.external_scanner.create();
  } else {
    language_.external_scanner.deserialize(scanner_, nullptr, 0);
  }
}

void TokenSource::save(Memory& memory) const {
  memory.size = language_.external_scanner.serialize(scanner_, memory.bytes.data());
}

void TokenSource::restore(const Memory& memory) {
  language_.external_scanner.deserialize(scanner_, memory.bytes.data(), memory.size);
  std::copy_n(memory.bytes.data(), memory.size, last_.bytes.data());
  last_.size = memory.size;
}

bool TokenSource::next(SourceLexer& lexer, std::uint16_t state, Token& token) {
  const std::uint32_t at = token.end;
  const TSLexMode mode = language_.lex_modes[state];
  if (mode.lex_state == kNoLexState) {
    return false;
  }
  if (mode.external_lex_state != 0 && scan(lexer, mode.external_lex_state, at, token)) {
    return true;
  }
  lexer.start(at);
  if (!language_.lex_fn(&lexer.base, mode.lex_state)) {
    return false;
  }
  lexer.finish();
  token = {lexer.base.result_symbol, false, lexer.token_start, lexer.token_end};
  if (token.symbol == language_.keyword_capture_token && language_.keyword_lex_fn != nullptr) {
    recognise_keyword(lexer, state, token);
  }
  return true;
}

bool TokenSource::scan(SourceLexer& lexer, std::uint16_t scanner_state, std::uint32_t at, Token& token) {
  lexer.start(at);
  const bool* wanted = language_.external_scanner.states + scanner_state * language_.external_token_count;
  if (!language_.external_scanner.scan(scanner_, &lexer.base, wanted)) {
    if (grammar_.scanner_needs_undo) {
      language_.external_scanner.deserialize(scanner_, last_.bytes.data(), last_.size);
    }
    return false;
  }
  lexer.finish();
  if (grammar_.scanner_needs_undo) {
    save(last_);
  }
  token = {language_.external_scanner.symbol_map[lexer.base.result_symbol], false, lexer.token_start, lexer.token_end};
  return true;
}

void TokenSource::recognise_keyword(SourceLexer& lexer, std::uint16_t state, Token& token) {
  lexer.start(token.start);
  if (!language_.keyword_lex_fn(&lexer.base, 0)) {
    return;
  }
  lexer.finish();
  if (lexer.token_end == token.end && tables_.look_up(state, lexer.base.result_symbol).value != 0) {
    token.symbol = lexer.base.result_symbol;
    token.keyword = true;
  }
}

}  // namespace glovebox::policy

#include "verification/pattern.h"

#include <re2/re2.h>

#include "base/utf8.h"

namespace glovebox::verification {

base::Result<Pattern> Pattern::compile(std::string_view text) {
  constexpr std::size_t kMaxBytes = 2000;
  constexpr std::int64_t kMaxMemory = std::int64_t{1} << 20U;
  if (text.size() > kMaxBytes) {
    return base::fail(base::ErrorCode::invalid_request, "the pattern is longer than 2000 bytes");
  }
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMaxMemory);
  options.set_never_capture(true);
  auto expression = std::make_shared<const re2::RE2>(re2::StringPiece(text.data(), text.size()), options);
  if (!expression->ok()) {
    return base::fail(base::make_error(base::ErrorCode::invalid_request,
                                       "the pattern is not one of RE2: " + base::printable(expression->error(), 120))
                          .with_hint("RE2 has no look-around and no back references"));
  }
  return Pattern(std::move(expression));
}

std::uint64_t Pattern::cost(std::string_view text) const {
  // A small pattern is an automaton; one that is too large for that is followed through all its states at every byte.
  constexpr std::uint64_t kSizePerStep = 4;
  return 1 + text.size() * (1 + static_cast<std::uint64_t>(expression_->ProgramSize()) / kSizePerStep);
}

bool Pattern::found_in(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *expression_);
}

}  // namespace glovebox::verification

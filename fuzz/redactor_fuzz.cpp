// Whatever a program printed: redacting ends, is stable, keeps valid text valid and JSON JSON, and stays in bounds.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/utf8.h"
#include "contract/json_parse.h"
#include "redaction/example_text.h"
#include "redaction/redactor.h"

namespace {

using glovebox::redaction::Redactor;

const Redactor& redactor() {
  static const Redactor made = Redactor::create(glovebox::redaction::default_redaction_rules().value(),
                                                {"open sesame/42", "redacted", "\xc3\xa4\"\\x\n-"})
                                   .value();
  return made;
}

void require(bool good) {
  if (!good) {
    std::abort();
  }
}

void check_text(std::string_view text) {
  const auto once = redactor().redact(text);
  require(redactor().redact(once.text).text == once.text);
  require(once.text.size() <= 8 * text.size() + 64);
  require(once.counts.empty() == (once.text == text));
  require(!glovebox::base::is_valid_utf8(text) || glovebox::base::is_valid_utf8(once.text));
}

void check_json(std::string_view text) {
  const auto once = redactor().redact_json(text);
  require(redactor().redact_json(once.text).text == once.text);
  if (glovebox::contract::compact_json(text)) {
    require(glovebox::contract::compact_json(once.text).has_value());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Templates turn a few bytes into what rules look for; chance alone never writes a key.
  if (const auto expanded = glovebox::redaction::expand_example(text); expanded && expanded->size() < 16 * 1024) {
    check_text(*expanded);
    check_json(*expanded);
  } else {
    check_text(text);
    check_json(text);
  }
  return 0;
}

// A file of redaction rules that somebody else may write. What is accepted must be usable.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "redaction/redactor.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace glovebox::redaction;
  const auto rules = parse_redaction_rules({reinterpret_cast<const char*>(data), size}, "fuzz.toml");
  if (!rules.has_value()) {
    if (rules.error().message.empty()) {
      std::abort();
    }
    return 0;
  }
  const auto redactor = Redactor::create(*rules, {});
  if (!redactor.has_value()) {
    std::abort();
  }
  const std::string once = redactor->redact({reinterpret_cast<const char*>(data), size}).text;
  if (redactor->redact(once).text != once) {
    std::abort();
  }
  return 0;
}

// Whatever a program prints becomes valid UTF-8 without a way to steer a terminal, and cleaning twice changes nothing.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/utf8.h"

namespace {

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

bool steers_a_terminal(std::string_view text) {
  for (std::size_t index = 0; index < text.size(); ++index) {
    const auto byte = static_cast<unsigned char>(text[index]);
    const bool line_end = byte == '\r' && index + 1 < text.size() && text[index + 1] == '\n';
    if ((byte < 0x20 && byte != '\n' && byte != '\t' && !line_end) || byte == 0x7f) {
      return true;
    }
    // C1 controls are U+0080 to U+009F: 0xc2 and a second byte below 0xa0.
    if (byte == 0xc2 && index + 1 < text.size() && static_cast<unsigned char>(text[index + 1]) < 0xa0) {
      return true;
    }
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace glovebox::base;
  constexpr std::size_t kReplacementBytes = 3;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);

  const std::string valid = to_valid_utf8(bytes);
  require(is_valid_utf8(valid) && valid.size() <= kReplacementBytes * size);
  require(!is_valid_utf8(bytes) || valid == bytes);

  const std::string clean = sanitize_output(bytes);
  require(is_valid_utf8(clean) && !steers_a_terminal(clean) && clean.size() <= kReplacementBytes * size);
  require(sanitize_output(clean) == clean);

  constexpr std::size_t kShown = 40;
  constexpr std::size_t kLongestStep = 16;  // one malformed or forbidden character as \xNN, four bytes each
  const std::string shown = printable(bytes, kShown);
  require(is_valid_utf8(shown) && shown.size() <= kShown + kLongestStep + 3);
  require(!steers_a_terminal(shown) && shown.find('\n') == std::string::npos);
  return 0;
}

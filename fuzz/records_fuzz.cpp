// Anchors that were carried elsewhere, and stored bytes that somebody may have changed.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "records/audit.h"
#include "records/content_codec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto anchor = glovebox::records::parse_anchor(text)) {
    if (glovebox::records::parse_anchor(glovebox::records::to_json(*anchor)) != *anchor) {
      std::abort();
    }
  }
  if (size > 2) {
    const std::size_t bytes = (std::size_t{data[0]} << 8U) | data[1];
    const auto plain = glovebox::records::decompress(text.substr(2), bytes);
    if (plain && plain->size() != bytes) {
      std::abort();
    }
  }
  if (glovebox::records::decompress(glovebox::records::compress(text), size).value() != text) {
    std::abort();
  }
  return 0;
}

// A log line made of arbitrary bytes, in both formats: one line, within its bound, valid UTF-8, no control characters.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/utf8.h"
#include "telemetry/log_line.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace glovebox::telemetry;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string_view head = bytes.substr(0, size / 2);
  const std::string_view tail = bytes.substr(size / 2);
  for (const LogFormat format : {LogFormat::json, LogFormat::logfmt}) {
    LogLine line(format);
    line.add({"message", bytes});
    line.add({head, tail});
    line.add({head, head});
    line.add({"size", std::uint64_t{size}});
    const std::string text = line.take();
    const std::string_view visible = std::string_view(text).substr(0, text.size() - 1);
    if (text.size() > LogLine::kMostBytes || text.back() != '\n' || !glovebox::base::is_valid_utf8(text) ||
        glovebox::base::has_deceptive_characters(visible)) {
      std::abort();
    }
  }
  return 0;
}

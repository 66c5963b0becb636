// Every reader of an artifact's format on arbitrary bytes: the first byte chooses the format, the rest is the file.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "verification/file_format.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const auto formats = glovebox::verification::file_formats();
  glovebox::verification::WorkBudget budget(1'000'000, std::chrono::milliseconds(500));
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  (void)formats[data[0] % formats.size()].read(bytes, budget);
  return 0;
}

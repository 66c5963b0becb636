// glovebox.toml. Whatever is refused must be told, and must not have loosened anything.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "runner/config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace glovebox::runner;
  Config config;
  const auto applied = apply_config({reinterpret_cast<const char*>(data), size}, "fuzz.toml", config);
  if (!applied.has_value() && applied.error().message.empty()) {
    std::abort();
  }
  return 0;
}

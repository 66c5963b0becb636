#include <sys/random.h>

#include <array>
#include <chrono>
#include <cstdint>

#include "runner/runner.h"

namespace glovebox::runner {

std::string new_run_id() {
  // Crockford's base 32 over 48 bits of milliseconds and 80 random bits.
  static constexpr std::string_view kDigits = "0123456789abcdefghjkmnpqrstvwxyz";
  constexpr std::size_t kTimeDigits = 10;
  constexpr std::size_t kRandomDigits = 16;
  auto ms = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
  std::string id = "run_" + std::string(kTimeDigits, '0');
  for (std::size_t index = 0; index < kTimeDigits; ++index) {
    id[id.size() - 1 - index] = kDigits[ms & 31U];
    ms >>= 5U;
  }
  std::array<unsigned char, kRandomDigits> random{};
  while (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
  }
  for (const unsigned char byte : random) {
    id += kDigits[byte & 31U];
  }
  return id;
}

}  // namespace glovebox::runner

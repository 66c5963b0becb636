// A language profile from a directory that somebody else may write. What is accepted must be usable.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/languages/language_command.h"
#include "engine/languages/language_profile.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace glovebox::engine;
  const auto profile = parse_language_profile({reinterpret_cast<const char*>(data), size}, "fuzz.toml");
  if (!profile.has_value()) {
    if (profile.error().message.empty()) {
      std::abort();
    }
    return 0;
  }
  const auto command = command_line(*profile, ProgramForm::script, 256ULL << 20U, {"a"});
  if (!command.has_value() || command->size() < 2 || !command->front().starts_with('/') ||
      environment(*profile, 1).size() != profile->env.size()) {
    std::abort();
  }
  return 0;
}

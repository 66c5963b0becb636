// stderr of a failed program, in every error format. The first byte chooses the format and how the program ended;
// a zero byte parts the program's text from what it wrote.
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/utf8.h"
#include "engine/languages/program_error.h"

namespace {

glovebox::engine::LanguageProfile make_profile(glovebox::engine::ErrorFormat format) {
  glovebox::engine::LanguageProfile profile;
  profile.error_format = format;
  profile.modules.entry = "(.*)";
  profile.modules.separator = ".";
  profile.modules.builtin = {"json", "math"};
  if (format == glovebox::engine::ErrorFormat::generic) {
    profile.error_patterns = {{R"((?P<message>.*) at (?P<file>\S+) line (?P<line>\d+))",
                               glovebox::base::ErrorCode::runtime_error, "die", ""}};
  }
  return profile;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace glovebox::engine;
  if (size == 0) {
    return 0;
  }
  static const LanguageProfile kProfiles[] = {make_profile(ErrorFormat::python), make_profile(ErrorFormat::node),
                                              make_profile(ErrorFormat::bash), make_profile(ErrorFormat::generic)};
  static constexpr std::string_view kPaths[] = {"/glovebox/main.py", "/glovebox/main.js", "/glovebox/main.sh",
                                                "/glovebox/main.x"};
  static const ProgramEnd kEnds[] = {{1, {}}, {127, {}}, {{}, SIGINT}, {{}, SIGABRT}};
  const std::uint8_t choice = data[0];
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t parting = rest.find('\0');
  const std::string_view code = parting == std::string_view::npos ? std::string_view() : rest.substr(0, parting);
  const std::string_view text = parting == std::string_view::npos ? rest : rest.substr(parting + 1);
  const auto error = explain_program_error(kProfiles[choice & 3U], kEnds[(choice >> 2U) & 3U], text,
                                           {code, kPaths[choice & 3U]}, ModuleLookup("/nowhere"));
  if (!error || error->message.size() > 2'000 || error->traceback.size() > 8'000 ||
      !glovebox::base::is_valid_utf8(error->message) || !glovebox::base::is_valid_utf8(error->traceback) ||
      !glovebox::base::is_valid_utf8(error->type) || !glovebox::base::is_valid_utf8(error->hint)) {
    std::abort();
  }
  return 0;
}

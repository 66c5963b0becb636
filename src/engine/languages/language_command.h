// From a profile to what the launcher starts: argv and environment, with the cell's paths filled in.
//
// The cell has the program at /glovebox/<file_name>, support files below /glovebox/support, the argument of the solve
// form at /glovebox/input.json; all of that is read-only. /work holds the input files and is the current directory.
// The value of the solve form is left in /tmp: it is written by the user's program and as hostile as any artifact.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/languages/language_profile.h"

namespace glovebox::engine {

inline constexpr std::string_view kProgramDirectory = "/glovebox";
inline constexpr std::string_view kSupportDirectory = "/glovebox/support";
inline constexpr std::string_view kWorkDirectory = "/work";
inline constexpr std::string_view kSolveInputPath = "/glovebox/input.json";
// What every program of a deterministic cell loads first.
inline constexpr std::string_view kDeterminismLibrary = "/glovebox/support/libglovebox_determinism.so";
inline constexpr std::string_view kSolveValuePath = "/tmp/.glovebox-value.json";

enum class ProgramForm { script, solve };
enum class Repeatability { ordinary, deterministic };

// "/glovebox/main.py"
[[nodiscard]] std::string program_path(const LanguageProfile& profile);

// Fails with `unsupported` when the language has no solve form.
[[nodiscard]] base::Result<std::vector<std::string>> command_line(
    const LanguageProfile& profile, ProgramForm form, std::uint64_t memory_bytes, const std::vector<std::string>& args,
    Repeatability repeatability = Repeatability::ordinary);

// Words with the cell's paths filled in.
[[nodiscard]] std::vector<std::string> fill_in_command(const LanguageProfile& profile,
                                                       const std::vector<std::string>& words,
                                                       std::uint64_t memory_bytes);

// The profile's variables; the request's own come on top and win.
[[nodiscard]] std::map<std::string, std::string> environment(const LanguageProfile& profile, std::uint64_t memory_bytes,
                                                             Repeatability repeatability = Repeatability::ordinary);

// Fails with `image_unavailable`, naming the package, when something the language needs is not below image_root.
[[nodiscard]] base::Status check_requirements(const LanguageProfile& profile, std::string_view image_root);

}  // namespace glovebox::engine

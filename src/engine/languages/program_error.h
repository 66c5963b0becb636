// Why a program failed, read from how it ended and what it left on stderr (X1, X2).
//
// stderr is hostile: it was written by the program, may be a forgery, megabytes of escape sequences, or cut in the
// middle. So the explanation is advice and never a decision; only the last part of the text is looked at, each line a
// bounded number of times, without recursion; everything that comes out is valid UTF-8 without control sequences and
// limited in size. The outcome of a run never depends on anything found here.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "contract/run_result.h"
#include "engine/languages/language_profile.h"
#include "engine/languages/module_lookup.h"

namespace glovebox::engine {

// At the end of a hint when `line` does not count in the program but in a file that came with it; its path follows.
inline constexpr std::string_view kLineIsIn = "the line is in ";

struct ProgramEnd {
  std::optional<int> exit_code;
  std::optional<int> signal;
};

struct ProgramText {
  std::string_view code;
  std::string_view program_path;            // /glovebox/main.py
  std::span<const std::string> files = {};  // input files relative to /work, for "no such file"
};

// nullopt when the program ended well. `code` is one of syntax_error, runtime_error, import_error, program_exit and
// program_signal; memory_limit when a runtime gave up because its own heap, sized after the limit, was full.
[[nodiscard]] std::optional<contract::RunError> explain_program_error(const LanguageProfile& profile,
                                                                      const ProgramEnd& end,
                                                                      std::string_view stderr_text,
                                                                      const ProgramText& program,
                                                                      const ModuleLookup& modules);

// "SIGSEGV"; "signal 77" for one without a name.
[[nodiscard]] std::string signal_name(int signal);

}  // namespace glovebox::engine

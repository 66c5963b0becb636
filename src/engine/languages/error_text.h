// What the parsers of the error formats share: the lines of stderr, the user's own files, limits on what comes out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/languages/program_error.h"

namespace glovebox::engine {

inline constexpr std::size_t kMaxMessageBytes = 2'000;
inline constexpr std::size_t kMaxTracebackBytes = 8'000;
inline constexpr std::size_t kMaxTypeBytes = 120;

// One failed program on its way to an explanation. Lines are clean text (valid UTF-8, no control sequences).
struct FailedProgram {
  const LanguageProfile& profile;
  const ProgramEnd& end;
  const ProgramText& program;
  const ModuleLookup& modules;
  std::vector<std::string_view> lines;
};

// Each knows one language's way to fail and answers nullopt when it finds nothing of its own.
[[nodiscard]] std::optional<contract::RunError> explain_python(const FailedProgram& failed);
[[nodiscard]] std::optional<contract::RunError> explain_node(const FailedProgram& failed);
[[nodiscard]] std::optional<contract::RunError> explain_bash(const FailedProgram& failed);
[[nodiscard]] std::optional<contract::RunError> explain_generic(const FailedProgram& failed);

// The program itself or a file that came with it.
[[nodiscard]] bool is_user_file(const FailedProgram& failed, std::string_view path);
// A shim of ours: its frames are not shown.
[[nodiscard]] bool is_support_file(std::string_view path);

[[nodiscard]] std::optional<std::uint32_t> parse_number(std::string_view digits);
// Line `number` (1-based) of the program, or empty.
[[nodiscard]] std::string_view code_line(std::string_view code, std::uint32_t number);
// A line of the code: one behind its end becomes its last one.
[[nodiscard]] std::optional<std::uint32_t> within(std::string_view code, std::optional<std::uint32_t> line);
// Unicode characters, counted as Python and editors count columns.
[[nodiscard]] std::size_t count_characters(std::string_view text);
// Only spaces, tabs, '^' and '~', with at least one mark: the line below a quoted source line.
[[nodiscard]] bool is_marker_line(std::string_view line);
[[nodiscard]] std::string_view trim(std::string_view text);
[[nodiscard]] std::string_view last_line_with_text(const std::vector<std::string_view>& lines);
[[nodiscard]] std::string join_lines(const std::vector<std::string_view>& lines, std::size_t begin, std::size_t end);
// Text between the first `before` and the next `after`; empty when either is missing.
[[nodiscard]] std::string_view between(std::string_view text, std::string_view before, std::string_view after);

// At most max_bytes, cut between characters: the end, or the middle, makes room for an ellipsis.
[[nodiscard]] std::string clip_end(std::string_view text, std::size_t max_bytes);
[[nodiscard]] std::string clip_middle(std::string_view text, std::size_t max_bytes);

}  // namespace glovebox::engine

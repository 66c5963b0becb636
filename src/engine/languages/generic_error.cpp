// Languages without a parser of their own: the profile's patterns, tried in order; the last match of the first
// pattern that matches is the error. RE2 takes time linear in the text whatever the pattern.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "engine/languages/error_hints.h"
#include "engine/languages/error_text.h"

namespace glovebox::engine {
namespace {

constexpr std::size_t kMaxTextBytes = 64U << 10U;
constexpr int kMaxMatches = 64;
constexpr int kMaxGroups = 16;

std::string last_part(const std::vector<std::string_view>& lines) {
  std::size_t first = lines.size();
  std::size_t bytes = 0;
  while (first > 0 && bytes + lines[first - 1].size() < kMaxTextBytes) {
    --first;
    bytes += lines[first].size() + 1;
  }
  return join_lines(lines, first, lines.size());
}

std::string_view group(const RE2& pattern, const re2::StringPiece* found, int groups, const char* name) {
  const auto& names = pattern.NamedCapturingGroups();
  const auto entry = names.find(name);
  if (entry == names.end() || entry->second >= groups || found[entry->second].data() == nullptr) {
    return {};
  }
  return {found[entry->second].data(), found[entry->second].size()};
}

}  // namespace

std::optional<contract::RunError> explain_generic(const FailedProgram& failed) {
  if (failed.end.signal) {
    return std::nullopt;
  }
  const std::string text = last_part(failed.lines);
  for (const ErrorPattern& rule : failed.profile.error_patterns) {
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(1 << 20);
    const RE2 pattern("(?m)" + rule.match, options);
    const int groups = std::min(kMaxGroups, pattern.ok() ? pattern.NumberOfCapturingGroups() + 1 : 0);
    re2::StringPiece found[kMaxGroups];
    re2::StringPiece candidate[kMaxGroups];
    std::size_t position = 0;
    bool matched = false;
    for (int count = 0; count < kMaxMatches && groups > 0 && position <= text.size(); ++count) {
      if (!pattern.Match(text, position, text.size(), RE2::UNANCHORED, candidate, groups)) {
        break;
      }
      std::copy(candidate, candidate + groups, found);
      matched = true;
      const auto end = static_cast<std::size_t>(candidate[0].data() - text.data()) + candidate[0].size();
      position = std::max(end, position + 1);
    }
    if (!matched) {
      continue;
    }
    contract::RunError error;
    error.code = rule.code;
    error.type = group(pattern, found, groups, "type");
    error.type = error.type.empty() ? rule.type : error.type;
    error.message = group(pattern, found, groups, "message");
    if (error.message.empty()) {
      error.message = std::string(found[0].data(), found[0].size());
    }
    error.line = parse_number(group(pattern, found, groups, "line"));
    error.column = parse_number(group(pattern, found, groups, "column"));
    error.hint = rule.hint.empty() ? hint_for_system_error(failed, error.message) : rule.hint;
    const std::string_view file = group(pattern, found, groups, "file");
    if (!file.empty() && !is_user_file(failed, file)) {
      error.line.reset();  // a line of some library would only mislead
      error.column.reset();
    }
    error.traceback = trim(text);
    return error;
  }
  return std::nullopt;
}

}  // namespace glovebox::engine

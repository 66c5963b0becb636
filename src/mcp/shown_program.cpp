#include "mcp/shown_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/utf8.h"
#include "policy/source_files.h"

namespace glovebox::mcp {
namespace {

constexpr std::size_t kMaxShownProgramBytes = 16U << 10U;

std::string lines_of(std::string_view code) {
  std::string text;
  for (std::size_t begin = 0; begin < code.size();) {
    const std::size_t end = std::min(code.find('\n', begin), code.size());
    const std::string_view line = code.substr(begin, end - begin);
    text += "\n    " + base::printable(line, line.size() * 4);
    begin = end + 1;
  }
  return text;
}

}  // namespace

std::optional<std::string> shown_program(const contract::RunRequest& request) {
  std::string text = fmt::format("\n\nThe program, in {}:{}", request.language, lines_of(request.code));
  for (const contract::InputFile& file : request.files) {
    if (!policy::syntax_of_file(file.path.str())) {
      continue;
    }
    const std::string* code = std::get_if<std::string>(&file.content);
    if (code == nullptr || text.size() + code->size() > kMaxShownProgramBytes) {
      return std::nullopt;
    }
    text += fmt::format("\n\n{}, which it can load:{}", base::printable(file.path.str(), kMaxShownProgramBytes),
                        lines_of(*code));
  }
  return text.size() <= kMaxShownProgramBytes ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace glovebox::mcp

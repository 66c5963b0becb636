// A failed program on its way back to a model: the code, the message and a model's answer, parted by zero bytes. The
// first bytes are the line.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/utf8.h"
#include "contract/json_parse.h"
#include "runner/repair_brief.h"

namespace {

std::string_view take(std::string_view& rest) {
  const std::size_t end = rest.find('\0');
  const std::string_view part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return part;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace glovebox;
  std::uint32_t line = 0;
  if (size < sizeof(line)) {
    return 0;
  }
  std::memcpy(&line, data, sizeof(line));
  std::string_view rest(reinterpret_cast<const char*>(data) + sizeof(line), size - sizeof(line));
  contract::RunRequest request;
  request.code = take(rest);
  contract::RunResult result;
  result.outcome = contract::Outcome::program_failed;
  result.error = contract::RunError{};
  result.error->message = base::sanitize_output(take(rest));  // as every message is
  result.error->hint = base::sanitize_output(take(rest));
  result.error->line = line;
  const runner::RepairBrief brief = runner::make_brief(request, result);
  const std::string text = runner::to_text(brief);
  const bool small = brief.lines.size() <= 7 && text.size() <= 8'000 + brief.error.hint.size() + brief.file.size();
  if (!small || !base::is_valid_utf8(text) || !contract::parse_json(runner::to_json(brief), {}) ||
      runner::error_signature(request, result).empty() || runner::code_of_answer(rest).size() > rest.size()) {
    std::abort();
  }
  return 0;
}

#include "engine/languages/error_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/languages/language_command.h"

namespace glovebox::engine {
namespace {

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; }

// The largest length ≤ `length` that does not cut a character in two.
std::size_t whole_characters(std::string_view text, std::size_t length) {
  while (length > 0 && length < text.size() && continues_character(text[length])) {
    --length;
  }
  return length;
}

}  // namespace

bool is_user_file(const FailedProgram& failed, std::string_view path) {
  return path == failed.program.program_path ||
         (path.starts_with(kWorkDirectory) && path.substr(kWorkDirectory.size()).starts_with('/'));
}

bool is_support_file(std::string_view path) {
  return path.starts_with(kSupportDirectory) && path.substr(kSupportDirectory.size()).starts_with('/');
}

std::optional<std::uint32_t> parse_number(std::string_view digits) {
  std::uint32_t value = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failure != std::errc() || end != digits.data() + digits.size() || digits.empty()) {
    return std::nullopt;
  }
  return value;
}

std::string_view code_line(std::string_view code, std::uint32_t number) {
  std::size_t start = 0;
  for (std::uint32_t line = 1; line < number; ++line) {
    start = code.find('\n', start);
    if (start == std::string_view::npos) {
      return {};
    }
    ++start;
  }
  return number == 0 ? std::string_view() : code.substr(start, std::min(code.find('\n', start), code.size()) - start);
}

std::optional<std::uint32_t> within(std::string_view code, std::optional<std::uint32_t> line) {
  while (code.ends_with('\n')) {
    code.remove_suffix(1);
  }
  const auto last = static_cast<std::uint32_t>(std::count(code.begin(), code.end(), '\n') + 1);
  return line ? std::optional(std::min(*line, last)) : line;
}

std::size_t count_characters(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues_character));
}

bool is_marker_line(std::string_view line) {
  return line.find_first_of("^~") != std::string_view::npos &&
         line.find_first_not_of(" \t^~") == std::string_view::npos;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\f\v";
  const std::size_t start = text.find_first_not_of(kBlank);
  return start == std::string_view::npos ? std::string_view()
                                         : text.substr(start, text.find_last_not_of(kBlank) - start + 1);
}

std::string_view last_line_with_text(const std::vector<std::string_view>& lines) {
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (!trim(*line).empty()) {
      return trim(*line);
    }
  }
  return {};
}

std::string join_lines(const std::vector<std::string_view>& lines, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t index = begin; index < std::min(end, lines.size()); ++index) {
    text += lines[index];
    text += '\n';
  }
  return text;
}

std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t start = text.find(before);
  if (start == std::string_view::npos) {
    return {};
  }
  text.remove_prefix(start + before.size());
  const std::size_t end = text.find(after);
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end);
}

std::string clip_end(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) {
    return std::string(text);
  }
  return std::string(text.substr(0, whole_characters(text, max_bytes - 3))) + "…";
}

std::string clip_middle(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) {
    return std::string(text);
  }
  const std::size_t half = (max_bytes - 8) / 2;
  std::size_t tail = text.size() - half;
  while (tail < text.size() && continues_character(text[tail])) {
    ++tail;
  }
  return fmt::format("{}\n…\n{}", text.substr(0, whole_characters(text, half)), text.substr(tail));
}

}  // namespace glovebox::engine

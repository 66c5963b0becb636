#include "cli/policy_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"

namespace glovebox::cli {
namespace {

using policy::Decision;
using policy::Finding;
using policy::Verdict;

constexpr std::size_t kBefore = 60;  // bytes of a line that are shown before the place
constexpr std::size_t kShown = 120;  // and in all
constexpr std::size_t kMaxText = 1000;

class Painter {
 public:
  explicit Painter(Colour colour) : on_(colour == Colour::on) {}
  [[nodiscard]] std::string bold(std::string_view text) const { return paint("1", text); }
  [[nodiscard]] std::string faint(std::string_view text) const { return paint("2", text); }
  [[nodiscard]] std::string of(Verdict verdict, std::string_view text) const {
    return paint(verdict == Verdict::deny ? "1;31" : verdict == Verdict::ask ? "1;33" : "1;36", text);
  }

 private:
  [[nodiscard]] std::string paint(const char* code, std::string_view text) const {
    return on_ ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
  }
  bool on_;
};

std::string_view word_of(const Finding& finding) {
  return finding.verdict == Verdict::allow ? "note" : policy::to_string(finding.verdict);
}

std::string_view line_of(std::string_view code, std::uint32_t number) {
  for (std::uint32_t line = 1; line < number; ++line) {
    const std::size_t end = code.find('\n');
    if (end == std::string_view::npos) {
      return {};
    }
    code.remove_prefix(end + 1);
  }
  std::string_view line = code.substr(0, code.find('\n'));
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

std::string harmless(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    text += byte == '\t' ? std::string("    ") : std::string(1, byte);
  }
  return base::printable(text, kShown * 4);
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xc0) != 0x80; }));
}

bool continues_character(char byte) { return (byte & 0xc0) == 0x80; }

// The line with the place under it.
std::string excerpt(std::string_view code, const policy::Place& at, const Painter& paint, Verdict verdict) {
  const std::string_view line = line_of(code, at.line);
  std::size_t place = std::min<std::size_t>(at.column == 0 ? 0 : at.column - 1, line.size());
  std::size_t begin = place > kBefore ? place - kBefore : 0;
  while (begin < place && continues_character(line[begin])) {
    ++begin;
  }
  std::size_t end = std::min(line.size(), begin + kShown);
  while (end < line.size() && end > place && continues_character(line[end])) {
    --end;
  }
  const std::size_t marked = std::clamp<std::size_t>(at.length, 1, std::max<std::size_t>(end - place, 1));
  const std::string before = harmless(line.substr(begin, place - begin));
  const std::string number = std::to_string(at.line);
  const std::string gutter(number.size(), ' ');
  const std::string cut_left = begin > 0 ? "…" : "";
  const std::string cut_right = end < line.size() ? "…" : "";
  const std::size_t carets = std::max<std::size_t>(1, width_of(harmless(line.substr(place, marked))));
  std::string text = fmt::format(" {} {}\n", gutter, paint.faint("|"));
  text += fmt::format(" {} {} {}{}{}{}\n", paint.faint(number), paint.faint("|"), cut_left, before,
                      harmless(line.substr(place, end - place)), cut_right);
  text +=
      fmt::format(" {} {} {}{}\n", gutter, paint.faint("|"), std::string(width_of(cut_left) + width_of(before), ' '),
                  paint.of(verdict, std::string(carets, '^')));
  return text;
}

std::string describe(const Finding& finding, const ShownSource& source, const Painter& paint) {
  const std::string file = base::printable(finding.file.empty() ? source.name : finding.file, kMaxText);
  const std::string place = finding.at ? fmt::format("{}:{}:{}", file, finding.at->line, finding.at->column) : file;
  std::string text = fmt::format("{}: {}: {}{}\n", paint.bold(place),
                                 paint.of(finding.verdict, fmt::format("{}[{}]", word_of(finding), finding.rule)),
                                 finding.subject, finding.approved ? " (approved)" : "");
  if (finding.at && finding.file.empty()) {
    text += excerpt(source.code, *finding.at, paint, finding.verdict);
  }
  text += fmt::format("   = {} {} ({}, {})\n", paint.bold("reason:"), finding.reason, finding.profile,
                      policy::to_string(finding.layer));
  if (!finding.suggestion.empty()) {
    text += fmt::format("   = {} {}\n", paint.bold("help:"), finding.suggestion);
  }
  return text;
}

}  // namespace

std::string describe(const Decision& decision, const ShownSource& source, Colour colour) {
  const Painter paint(colour);
  std::string text;
  std::size_t serious = 0;
  for (const Finding& finding : decision.findings) {
    text += describe(finding, source, paint) + "\n";
    serious += finding.verdict == Verdict::allow ? 0 : 1;
  }
  if (decision.left_out != 0) {
    text += fmt::format("… and {} more\n\n", decision.left_out);
  }
  for (const auto& [name, lowered] : decision.lowered) {
    text += fmt::format("limits.{} is lowered from {} to {}\n", name, lowered.asked, lowered.granted);
  }
  text += fmt::format("{}: {} {} ({})\n", paint.of(decision.verdict, policy::to_string(decision.verdict)), serious,
                      serious == 1 ? "finding" : "findings", decision.policy.substr(0, decision.policy.find('@')));
  return text;
}

}  // namespace glovebox::cli

#include "redaction/text_scan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "redaction/configured_forms.h"

namespace glovebox::redaction {
namespace {

constexpr std::string_view kConfigured = "configured_value";
constexpr std::string_view kEverything = "everything";
constexpr std::string_view kNoticeBegins = "[redacted:";
constexpr int kMostPasses = 8;
constexpr std::size_t kBinaryProbe = 8U << 10U;

bool is_binary(std::string_view text) { return text.substr(0, kBinaryProbe).find('\0') != std::string_view::npos; }

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; }

// A span that begins or ends within a character takes all of it, so that valid UTF-8 stays valid.
void widen_to_characters(std::string_view text, Span& span) {
  constexpr std::size_t kMost = 3;
  for (std::size_t step = 0; step < kMost && span.begin > 0 && is_continuation(text[span.begin]); ++step) {
    --span.begin;
  }
  for (std::size_t step = 0; step < kMost && span.end < text.size() && is_continuation(text[span.end]); ++step) {
    ++span.end;
  }
}

// Overlapping spans become one, named after the widest; of equal ones after the earlier rule.
std::vector<Span> merge(std::string_view text, std::vector<Span> spans) {
  for (Span& span : spans) {
    widen_to_characters(text, span);
  }
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end != b.end ? a.end > b.end : a.rule < b.rule;
  });
  std::vector<Span> merged;
  std::size_t widest = 0;
  for (const Span& span : spans) {
    if (merged.empty() || span.begin >= merged.back().end) {
      merged.push_back(span);
      widest = span.end - span.begin;
      continue;
    }
    merged.back().end = std::max(merged.back().end, span.end);
    if (span.end - span.begin > widest) {
      widest = span.end - span.begin;
      merged.back().rule = span.rule;
    }
  }
  return merged;
}

// What is left of the spans outside of the notices; both are in order and do not overlap among themselves.
std::vector<Span> subtract(const std::vector<Span>& spans, const std::vector<Span>& notices) {
  std::vector<Span> left;
  std::size_t next = 0;
  for (Span span : spans) {
    while (next < notices.size() && notices[next].end <= span.begin) {
      ++next;
    }
    for (std::size_t index = next; index < notices.size() && notices[index].begin < span.end; ++index) {
      if (span.begin < notices[index].begin) {
        left.push_back({span.begin, notices[index].begin, span.rule});
      }
      span.begin = std::max(span.begin, notices[index].end);
    }
    if (span.begin < span.end) {
      left.push_back(span);
    }
  }
  return left;
}

}  // namespace

TextScan::TextScan(RedactionRules rules, const std::vector<std::string>& configured_values) {
  for (Ignore& ignore : rules.ignores) {
    ignores_.push_back(std::make_unique<Pattern>(std::move(ignore.pattern)));
  }
  for (Rule& rule : rules.rules) {
    const auto index = static_cast<std::uint32_t>(rules_.size());
    for (const std::string& word : rule.words) {
      finder_.add(word, rule.any_case ? WordCase::any : WordCase::exact, index);
    }
    rules_.push_back(std::make_unique<RuleMatcher>(std::move(rule), index, ignores_));
  }
  for (const std::string& value : configured_values) {
    for (std::string& form : forms_of(value)) {
      // Found by its beginning, so that one whose end was cut off is found as well.
      finder_.add(std::string_view(form).substr(0, kMinConfiguredBytes), WordCase::exact,
                  static_cast<std::uint32_t>(rules_.size() + forms_.size()));
      forms_.push_back(std::move(form));
    }
  }
  finder_.build();
}

base::Status TextScan::check_patterns() const {
  for (const auto& rule : rules_) {
    if (!rule->pattern().is_valid()) {
      return base::fail(base::ErrorCode::invalid_request,
                        fmt::format("the pattern of the redaction rule {} is not RE2", rule->rule().id));
    }
  }
  if (!std::all_of(ignores_.begin(), ignores_.end(), [](const auto& ignore) { return ignore->is_valid(); })) {
    return base::fail(base::ErrorCode::invalid_request, "a redaction rule's ignore pattern is not RE2");
  }
  return {};
}

std::string_view TextScan::id_of(std::uint32_t rule) const {
  return rule < rules_.size() ? std::string_view(rules_[rule]->rule().id) : kConfigured;
}

void TextScan::find_configured(std::string_view text, std::size_t position, std::uint32_t form,
                               std::vector<Span>& spans) const {
  const std::string_view whole = forms_[form];
  const std::string_view there = text.substr(position, whole.size());
  const auto differ = static_cast<std::size_t>(std::mismatch(there.begin(), there.end(), whole.begin(),
                                                             whole.begin() + static_cast<std::ptrdiff_t>(there.size()))
                                                   .first -
                                               there.begin());
  if (differ == whole.size() || (differ >= kMinConfiguredBytes && is_cut(text, position + differ))) {
    spans.push_back({position, position + differ, static_cast<std::uint32_t>(rules_.size())});
  }
}

// Where the middle of a long output was left out, the rest may begin with the end of a value.
void TextScan::find_configured_ends(std::string_view text, std::vector<Span>& spans) const {
  for (std::size_t notice = text.find(kOmissionEnds); notice != std::string_view::npos && !forms_.empty();
       notice = text.find(kOmissionEnds, notice + 1)) {
    const std::size_t begin = notice + kOmissionEnds.size();
    for (const std::string& form : forms_) {
      for (std::size_t length = form.size() - 1; length >= kMinConfiguredBytes; --length) {
        if (text.substr(begin, length) == std::string_view(form).substr(form.size() - length)) {
          spans.push_back({begin, begin + length, static_cast<std::uint32_t>(rules_.size())});
          break;
        }
      }
    }
  }
}

std::vector<Span> TextScan::find(std::string_view text) const {
  std::vector<Span> spans;
  std::vector<RuleProgress> progress;
  const bool binary = is_binary(text);
  finder_.scan(text, [&](std::size_t position, std::uint32_t target) {
    if (target >= rules_.size()) {
      find_configured(text, position, target - static_cast<std::uint32_t>(rules_.size()), spans);
      return;
    }
    const RuleMatcher& rule = *rules_[target];
    if (binary && rule.rule().text_only) {
      return;
    }
    progress.resize(rules_.size());
    rule.try_at(text, position, progress[target], spans);
  });
  find_configured_ends(text, spans);
  return spans;
}

// "[redacted:id]" with an id that is ours: such bytes are never redacted again.
std::vector<Span> TextScan::find_notices(std::string_view text) const {
  std::vector<Span> notices;
  for (std::size_t begin = text.find(kNoticeBegins); begin != std::string_view::npos;
       begin = text.find(kNoticeBegins, begin + 1)) {
    const std::size_t id_begin = begin + kNoticeBegins.size();
    const std::size_t close = text.substr(0, std::min(text.size(), id_begin + 65)).find(']', id_begin);
    if (close == std::string_view::npos) {
      continue;
    }
    const std::string_view id = text.substr(id_begin, close - id_begin);
    if (id == kConfigured || id == kEverything ||
        std::any_of(rules_.begin(), rules_.end(), [&](const auto& rule) { return rule->rule().id == id; })) {
      notices.push_back({begin, close + 1, 0});
    }
  }
  return notices;
}

std::optional<std::string> TextScan::redact_once(std::string_view text, Counts& counts) const {
  std::vector<Span> spans = find(text);
  if (spans.empty()) {
    return std::nullopt;
  }
  spans = subtract(merge(text, std::move(spans)), find_notices(text));
  if (spans.empty()) {
    return std::nullopt;
  }
  std::string out;
  out.reserve(text.size());
  std::size_t copied = 0;
  for (const Span& span : spans) {
    out += text.substr(copied, span.begin - copied);
    out += kNoticeBegins;
    out += id_of(span.rule);
    out += ']';
    copied = span.end;
    ++counts[std::string(id_of(span.rule))];
  }
  out += text.substr(copied);
  return out;
}

// A notice changes what stands around the next secret, so one pass may uncover another. Every pass that finds something
// turns bytes into notices, which stay; a text that is not done after a few passes was made for that, and goes whole.
std::optional<std::string> TextScan::redact(std::string_view text, Counts& counts) const {
  std::optional<std::string> redacted = redact_once(text, counts);
  for (int pass = 1; redacted && pass < kMostPasses; ++pass) {
    auto again = redact_once(*redacted, counts);
    if (!again) {
      return redacted;
    }
    redacted = std::move(again);
  }
  if (redacted) {
    ++counts[std::string(kEverything)];
    redacted = fmt::format("{}{}]", kNoticeBegins, kEverything);
  }
  return redacted;
}

std::optional<std::string> TextScan::redact_named(std::string_view name, std::string_view value, Counts& counts) const {
  const std::string before = fmt::format("{}=\"", name);
  Counts seen;
  const auto redacted = redact(fmt::format("{}{}\"", before, value), seen);
  if (redacted && redacted->starts_with(before) && redacted->ends_with('"') && redacted->size() > before.size()) {
    for (const auto& [id, times] : seen) {
      counts[id] += times;
    }
    return redacted->substr(before.size(), redacted->size() - before.size() - 1);
  }
  return redact(value, counts);
}

std::optional<std::string> TextScan::redact_variable(std::string_view name, std::string_view value,
                                                     Counts& counts) const {
  auto redacted = redact_named(name, value, counts);
  constexpr std::size_t kShortest = 4;  // "1", "yes", "off"
  if (redacted || value.size() < kShortest || value == "true" || value == "false" || value == "none" ||
      std::any_of(ignores_.begin(), ignores_.end(), [&](const auto& ignore) { return ignore->found_in(value); })) {
    return redacted;
  }
  // Asks the rules about the name alone, by a value that none of them can mistake for words.
  constexpr std::string_view kUnmistakable = "q7Wv9Zk2Lm4Xs8Tb1Rd6Hc3Jf5";
  Counts by_name;
  if (!redact(fmt::format("{}=\"{}\"", name, kUnmistakable), by_name)) {
    return std::nullopt;
  }
  ++counts[by_name.begin()->first];
  return fmt::format("{}{}]", kNoticeBegins, by_name.begin()->first);
}

}  // namespace glovebox::redaction

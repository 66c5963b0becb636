#include "redaction/rule_matcher.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "redaction/value_shape.h"
#include "redaction/word_finder.h"

namespace glovebox::redaction {
namespace {

constexpr std::size_t kWindow = 1024;  // every pattern can tell within it whether it matches at all
constexpr int kMostGroups = 12;

bool is_word_byte(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '_';
}

bool is_token_byte(char byte) { return is_word_byte(byte) || byte == '-'; }

bool is_hex(char byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
}

// \n, %20, \u003d and the m of a terminal colour end in a letter or digit and still begin a new token.
bool ends_with_escape(std::string_view before) {
  const std::size_t size = before.size();
  const char last = before.back();
  if (size >= 2 && before[size - 2] == '\\') {
    return std::string_view("nrtbfv0").find(last) != std::string_view::npos;
  }
  if (size >= 3 && before[size - 3] == '%') {
    return is_hex(before[size - 2]) && is_hex(last);
  }
  if (size >= 6 && before[size - 6] == '\\' && before[size - 5] == 'u') {
    return std::all_of(before.end() - 4, before.end(), is_hex);
  }
  if (last == 'm') {
    const std::size_t bracket = before.find_last_not_of("0123456789;", size - 2);
    return bracket != std::string_view::npos && bracket > 0 && before[bracket] == '[' && before[bracket - 1] == '\x1b';
  }
  return false;
}

bool begins_token(std::string_view text, std::size_t position) {
  return position == 0 || !is_word_byte(text[position - 1]) || ends_with_escape(text.substr(0, position));
}

bool follows(std::string_view text, std::size_t position, const std::vector<std::string>& endings) {
  return std::any_of(endings.begin(), endings.end(), [&](const std::string& ending) {
    return position >= ending.size() && std::equal(ending.begin(), ending.end(),
                                                   text.begin() + static_cast<std::ptrdiff_t>(position - ending.size()),
                                                   [](char want, char have) { return want == to_lower(have); });
  });
}

ValueSurroundings surroundings(std::string_view text, std::size_t begin, std::size_t end) {
  ValueSurroundings around;
  around.after = end < text.size() ? text[end] : '\0';
  if (begin == 0) {
    return around;
  }
  const char before = text[begin - 1];
  around.quoted = before == '"' || before == '\'' || before == '`';
  around.environment = before == '=' && begin >= 2 && text[begin - 2] >= 'A' && text[begin - 2] <= 'Z';
  return around;
}

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

bool is_cut(std::string_view text, std::size_t position) {
  return position == text.size() || text.substr(position, kOmissionBegins.size()) == kOmissionBegins;
}

const re2::RE2& Pattern::compiled() const {
  std::call_once(once_, [this] {
    re2::RE2::Options options;
    options.set_encoding(re2::RE2::Options::EncodingLatin1);  // bytes
    options.set_log_errors(false);
    options.set_max_mem(std::int64_t{4} << 20U);
    compiled_ = std::make_shared<const re2::RE2>(text_, options);
  });
  return *compiled_;
}

bool Pattern::is_valid() const { return compiled().ok() && compiled().NumberOfCapturingGroups() < kMostGroups; }

bool Pattern::found_in(std::string_view text) const {
  return compiled().Match(piece(text), 0, text.size(), re2::RE2::UNANCHORED, nullptr, 0);
}

RuleMatcher::RuleMatcher(Rule rule, std::uint32_t index, const std::vector<std::unique_ptr<Pattern>>& ignores)
    : rule_(std::move(rule)), index_(index), pattern_(rule_.pattern), ignores_(ignores) {
  const auto shortest = std::min_element(rule_.words.begin(), rule_.words.end(),
                                         [](const auto& a, const auto& b) { return a.size() < b.size(); });
  shortest_word_ = shortest == rule_.words.end() ? 0 : shortest->size();
}

void RuleMatcher::try_at(std::string_view text, std::size_t position, RuleProgress& progress,
                         std::vector<Span>& spans) const {
  if (position < progress.next || (!rule_.inside_words && rule_.before == 0 && !begins_token(text, position)) ||
      follows(text, position, rule_.not_after)) {
    return;
  }
  const std::size_t from = std::max(progress.next, position - std::min(position, rule_.before));
  if (progress.failures > 32 + text.size() / 4096) {
    match_rest(text, from, spans);
    progress.next = text.size() + 1;
    return;
  }
  const std::size_t until = std::min(text.size(), position + kWindow);
  if (!match_at(text, position, from, until, progress, spans) &&
      !(rule_.cut_off && cut_off_at(text, position, progress, spans))) {
    ++progress.failures;
  }
}

bool RuleMatcher::match_at(std::string_view text, std::size_t position, std::size_t from, std::size_t until,
                           RuleProgress& progress, std::vector<Span>& spans) const {
  const re2::RE2& pattern = pattern_.compiled();
  const auto anchor = rule_.before == 0 ? re2::RE2::ANCHOR_START : re2::RE2::UNANCHORED;
  std::array<re2::StringPiece, kMostGroups> groups;
  const int wanted = 1 + pattern.NumberOfCapturingGroups();
  while (true) {
    // Without groups the automaton alone decides, which is the cheap way to learn that there is nothing.
    if (!pattern.Match(piece(text), from, until, anchor, nullptr, 0) ||
        !pattern.Match(piece(text), from, until, anchor, groups.data(), wanted)) {
      return false;
    }
    const auto begin = static_cast<std::size_t>(groups[0].data() - text.data());
    const std::size_t end = begin + groups[0].size();
    if (begin > position) {
      return false;
    }
    if (end <= position) {
      from = std::max(end, from + 1);  // an earlier match, which does not reach this word
      continue;
    }
    const std::size_t known = spans.size();
    const bool taken = take_groups(text, groups.data(), wanted, spans);
    if (taken && end == until && until < text.size()) {
      spans.resize(known);  // it goes on behind the window, and is worth looking there
      until = text.size();
      continue;
    }
    if (taken) {
      progress.next = end;
    }
    return taken;
  }
}

void RuleMatcher::match_rest(std::string_view text, std::size_t from, std::vector<Span>& spans) const {
  const re2::RE2& pattern = pattern_.compiled();
  std::array<re2::StringPiece, kMostGroups> groups;
  const int wanted = 1 + pattern.NumberOfCapturingGroups();
  while (from < text.size() &&
         pattern.Match(piece(text), from, text.size(), re2::RE2::UNANCHORED, groups.data(), wanted)) {
    take_groups(text, groups.data(), wanted, spans);
    from = std::max(from + 1, static_cast<std::size_t>(groups[0].data() - text.data()) + groups[0].size());
  }
}

bool RuleMatcher::cut_off_at(std::string_view text, std::size_t position, RuleProgress& progress,
                             std::vector<Span>& spans) const {
  constexpr std::size_t kFewestLetters = 4;
  constexpr std::size_t kEnoughLetters = 16;
  const std::size_t until = std::min(text.size(), position + kWindow);
  std::size_t end = position;
  while (end < until && (is_token_byte(text[end]) || text[end] == '.')) {
    ++end;
  }
  const std::string_view token = text.substr(position, end - position);
  const std::string_view rest = token.substr(std::min(token.size(), shortest_word_));
  if (rest.size() < kFewestLetters || !is_cut(text, end)) {
    return false;
  }
  // ghp_token is a name; names have neither digits nor capitals.
  const bool mixed = std::any_of(rest.begin(), rest.end(), [](char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'A' && letter <= 'Z');
  });
  if ((!mixed && rest.size() < kEnoughLetters) || stands_for_secret(token)) {
    return false;
  }
  spans.push_back({position, end, index_});
  progress.next = end;
  return true;
}

// Every group that took part is a secret; without groups the whole match is.
bool RuleMatcher::take_groups(std::string_view text, const re2::StringPiece* groups, int count,
                              std::vector<Span>& spans) const {
  bool taken = false;
  for (int group = count == 1 ? 0 : 1; group < count; ++group) {
    const std::string_view secret(groups[group].data(), groups[group].size());
    taken = (!secret.empty() && take(text, secret, spans)) || taken;
  }
  return taken;
}

bool RuleMatcher::take(std::string_view text, std::string_view secret, std::vector<Span>& spans) const {
  const auto begin = static_cast<std::size_t>(secret.data() - text.data());
  if (!is_secret(text, begin, secret)) {
    return false;
  }
  std::size_t end = begin + secret.size();
  // The rest of a token whose beginning is a secret is no use to anybody, and would begin a token of its own.
  if (is_word_byte(secret.back())) {
    while (end < text.size() && is_word_byte(text[end])) {
      ++end;
    }
  }
  spans.push_back({begin, end, index_});
  return true;
}

bool RuleMatcher::is_secret(std::string_view text, std::size_t begin, std::string_view secret) const {
  if (rule_.min_entropy <= 0) {
    return true;
  }
  const ValueSurroundings around = surroundings(text, begin, begin + secret.size());
  secret = secret.substr(0, kWindow);  // enough to judge by
  return has_shape(secret, rule_.shape, around) && bits_per_byte(secret) >= rule_.min_entropy &&
         !stands_for_secret(secret);
}

bool RuleMatcher::stands_for_secret(std::string_view text) const {
  return has_filler_run(text) ||
         std::any_of(ignores_.begin(), ignores_.end(),
                     [&](const std::unique_ptr<Pattern>& ignore) { return ignore->found_in(text); });
}

}  // namespace glovebox::redaction

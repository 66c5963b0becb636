// One rule at work: where its word stands, does its pattern match, and which bytes are the secret.
//
// Patterns are compiled when they are first needed. RE2 never backtracks, but a hundred thousand words that each lead
// to a long failing match would still cost the square of the text. So a match that starts at a word sees a window only,
// and after a number of failures that grows with the text the rest of it is searched in one go.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "redaction/redaction_rules.h"

namespace re2 {
class RE2;
class StringPiece;
}  // namespace re2

namespace glovebox::redaction {

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint32_t rule = 0;
  bool operator==(const Span&) const = default;
};

// What one pass over one text remembers of a rule.
struct RuleProgress {
  std::size_t next = 0;  // words before this are done with
  std::size_t failures = 0;
};

class Pattern {
 public:
  explicit Pattern(std::string text) : text_(std::move(text)) {}

  // Compiled on first use; safe from any thread. A pattern that does not compile matches nothing: create() checks.
  [[nodiscard]] const re2::RE2& compiled() const;
  [[nodiscard]] bool is_valid() const;
  [[nodiscard]] bool found_in(std::string_view text) const;

 private:
  std::string text_;
  mutable std::once_flag once_;
  mutable std::shared_ptr<const re2::RE2> compiled_;
};

class RuleMatcher {
 public:
  // The ignores must outlive it.
  RuleMatcher(Rule rule, std::uint32_t index, const std::vector<std::unique_ptr<Pattern>>& ignores);

  [[nodiscard]] const Rule& rule() const { return rule_; }
  [[nodiscard]] const Pattern& pattern() const { return pattern_; }

  // One of the rule's words stands at `position`. Adds the secrets found to `spans`.
  void try_at(std::string_view text, std::size_t position, RuleProgress& progress, std::vector<Span>& spans) const;

 private:
  bool match_at(std::string_view text, std::size_t position, std::size_t from, std::size_t until,
                RuleProgress& progress, std::vector<Span>& spans) const;
  void match_rest(std::string_view text, std::size_t from, std::vector<Span>& spans) const;
  bool cut_off_at(std::string_view text, std::size_t position, RuleProgress& progress, std::vector<Span>& spans) const;
  bool take_groups(std::string_view text, const re2::StringPiece* groups, int count, std::vector<Span>& spans) const;
  bool take(std::string_view text, std::string_view secret, std::vector<Span>& spans) const;
  [[nodiscard]] bool stands_for_secret(std::string_view text) const;
  [[nodiscard]] bool is_secret(std::string_view text, std::size_t begin, std::string_view secret) const;

  Rule rule_;
  std::uint32_t index_;
  std::size_t shortest_word_ = 0;
  Pattern pattern_;
  const std::vector<std::unique_ptr<Pattern>>& ignores_;
};

// Output was cut here: the end of the text, or the notice that stands for what was left out of the middle.
[[nodiscard]] bool is_cut(std::string_view text, std::size_t position);
inline constexpr std::string_view kOmissionBegins = "\n[\xe2\x80\xa6 ";
inline constexpr std::string_view kOmissionEnds = " bytes omitted \xe2\x80\xa6]\n";

}  // namespace glovebox::redaction

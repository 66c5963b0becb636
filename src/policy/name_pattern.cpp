#include "policy/name_pattern.h"

#include <algorithm>

namespace glovebox::policy {
namespace {

constexpr std::size_t kMaxPattern = 200;

bool is_name_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
         letter == '_' || letter == '$' || letter == '-' || letter == '/' || letter == '@' || letter == ':';
}

// Whether a pattern of one kind is about a fact of another.
bool concerns(FactKind pattern, FactKind fact) {
  const bool used = fact == FactKind::call || fact == FactKind::attribute;
  return pattern == fact || (used && (pattern == FactKind::call || pattern == FactKind::attribute));
}

}  // namespace

bool is_name_pattern(std::string_view text) {
  if (text == "*") {
    return true;
  }
  if (text.empty() || text.size() > kMaxPattern) {
    return false;
  }
  if (text.starts_with("*.")) {
    text.remove_prefix(2);
  }
  const bool prefix = text.ends_with('*');
  if (prefix) {
    text.remove_suffix(1);
  }
  bool after_dot = true;
  for (const char letter : text) {
    if (letter == '.' ? after_dot : !is_name_letter(letter)) {
      return false;
    }
    after_dot = letter == '.';
  }
  return !text.empty() && (!after_dot || prefix);
}

void PatternIndex::add(FactKind kind, std::string_view pattern, std::uint32_t tag) {
  Pattern made{kind, "", pattern.starts_with("*."), pattern.ends_with('*'), tag};
  if (made.anywhere) {
    pattern.remove_prefix(2);
  }
  if (made.prefix) {
    pattern.remove_suffix(1);
  }
  made.text = pattern;
  const std::size_t dot = pattern.find('.');
  const bool whole_segment = dot != std::string_view::npos || !made.prefix;
  const auto number = static_cast<std::uint32_t>(patterns_.size());
  if (whole_segment) {
    by_segment_[std::string(pattern.substr(0, dot))].push_back(number);
  } else {
    loose_.push_back(number);
  }
  patterns_.push_back(std::move(made));
}

// `rest` is the fact's name from one of its segments on.
bool PatternIndex::matches(const Pattern& pattern, std::string_view rest, bool at_start) {
  const bool whole = pattern.kind == FactKind::call || pattern.kind == FactKind::dynamic;
  const bool behind_others =
      pattern.kind == FactKind::call && !pattern.prefix && pattern.text.find('.') != std::string::npos;
  if (!at_start && !pattern.anywhere && !behind_others) {
    return false;
  }
  if (!rest.starts_with(pattern.text)) {
    return false;
  }
  return pattern.prefix || rest.size() == pattern.text.size() || (!whole && rest[pattern.text.size()] == '.');
}

void PatternIndex::find_name(FactKind kind, std::string_view name, std::vector<std::uint32_t>& tags) const {
  const auto look = [&](const std::vector<std::uint32_t>& numbers, std::string_view rest, bool at_start) {
    for (const std::uint32_t number : numbers) {
      const Pattern& pattern = patterns_[number];
      if (concerns(pattern.kind, kind) && matches(pattern, rest, at_start)) {
        tags.push_back(pattern.tag);
      }
    }
  };
  look(loose_, name, true);
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    if (const auto found = by_segment_.find(name.substr(begin, end - begin)); found != by_segment_.end()) {
      look(found->second, name.substr(begin), begin == 0);
    }
    begin = end + 1;
  }
}

void PatternIndex::find(const Fact& fact, std::vector<std::uint32_t>& tags) const {
  tags.clear();
  if (patterns_.empty()) {
    return;
  }
  find_name(fact.kind, fact.name, tags);
  if (fact.kind == FactKind::import && !fact.detail.empty() && fact.detail != "*") {
    find_name(fact.kind, fact.name + "." + fact.detail, tags);
  }
  std::sort(tags.begin(), tags.end());
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
}

void PatternIndex::find_module_of(std::string_view name, std::vector<std::uint32_t>& tags) const {
  tags.clear();
  const auto look = [&](const std::vector<std::uint32_t>& numbers) {
    for (const std::uint32_t number : numbers) {
      const Pattern& pattern = patterns_[number];
      if (pattern.kind == FactKind::import && !pattern.text.empty() && matches(pattern, name, true)) {
        tags.push_back(pattern.tag);
      }
    }
  };
  if (const auto found = by_segment_.find(name.substr(0, name.find('.'))); found != by_segment_.end()) {
    look(found->second);
  }
  look(loose_);
  std::sort(tags.begin(), tags.end());
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
}

void PatternIndex::find_taken_along(const Fact& fact, std::vector<std::uint32_t>& tags) const {
  if (fact.kind == FactKind::import && fact.detail == "*") {
    find_below(FactKind::import, fact.name, tags);
    find_below(FactKind::call, fact.name, tags);
    find_below(FactKind::attribute, fact.name, tags);
  }
}

void PatternIndex::find_below(FactKind kind, std::string_view name, std::vector<std::uint32_t>& tags) const {
  for (const Pattern& pattern : patterns_) {
    const std::string_view text = pattern.text;
    if (pattern.kind == kind && text.size() > name.size() && text.starts_with(name) && text[name.size()] == '.') {
      tags.push_back(pattern.tag);
    }
  }
  std::sort(tags.begin(), tags.end());
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
}

}  // namespace glovebox::policy

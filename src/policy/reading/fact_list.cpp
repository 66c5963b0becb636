#include "policy/reading/fact_list.h"

#include <algorithm>
#include <tuple>

#include "base/utf8.h"

namespace glovebox::policy {
namespace {

constexpr std::size_t kMaxNameBytes = 200;

// Names come from the program: whatever they hold, they can be printed and stored.
std::string harmless(std::string text) {
  const bool plain = text.size() <= kMaxNameBytes &&
                     std::all_of(text.begin(), text.end(), [](char each) { return each >= ' ' && each < '\x7f'; });
  return plain ? std::move(text) : base::printable(text, kMaxNameBytes);
}

}  // namespace

void FactList::add(FactKind kind, Span at, std::string name, std::string detail) {
  if (facts_.size() >= max_facts_) {
    full_ = true;
    return;
  }
  if (name.empty()) {
    name = "?";  // where a name should be, the program has nothing
  }
  facts_.push_back({at, {kind, harmless(std::move(name)), harmless(std::move(detail)), {}}});
}

void FactList::forget_from(std::size_t size) {
  facts_.resize(std::min(size, facts_.size()));
  full_ = false;
}

std::vector<Fact> FactList::finish(std::string_view text) && {
  const auto key = [](const Entry& entry) {
    return std::tie(entry.at.start, entry.fact.kind, entry.fact.name, entry.fact.detail);
  };
  std::sort(facts_.begin(), facts_.end(),
            [&](const Entry& left, const Entry& right) { return key(left) < key(right); });
  facts_.erase(std::unique(facts_.begin(), facts_.end(),
                           [&](const Entry& left, const Entry& right) { return key(left) == key(right); }),
               facts_.end());
  std::vector<Fact> result;
  result.reserve(facts_.size());
  Places places(text);
  for (Entry& each : facts_) {
    each.fact.at = places.of(each.at);
    result.push_back(std::move(each.fact));
  }
  return result;
}

Place Places::of(Span at) {
  if (at.start < line_start_) {
    line_ = 1;
    line_start_ = 0;
  }
  const std::size_t start = std::min<std::size_t>(at.start, text_.size());
  for (std::size_t end = text_.find('\n', line_start_); end < start; end = text_.find('\n', line_start_)) {
    ++line_;
    line_start_ = end + 1;
  }
  const std::size_t line_end = std::min({text_.find('\n', start), text_.size(), std::size_t{at.end}});
  return {line_, static_cast<std::uint32_t>(start - line_start_ + 1),
          static_cast<std::uint32_t>(line_end > start ? line_end - start : 0)};
}

}  // namespace glovebox::policy

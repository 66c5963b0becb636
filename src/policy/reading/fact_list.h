// The facts of one program while it is read: offsets for places, bounded in number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policy/program_facts.h"

namespace glovebox::policy {

struct Span {
  std::uint32_t start = 0;
  std::uint32_t end = 0;
};

class FactList {
 public:
  explicit FactList(std::size_t max_facts) : max_facts_(max_facts) {}

  void add(FactKind kind, Span at, std::string name, std::string detail = {});
  [[nodiscard]] bool full() const { return full_; }
  [[nodiscard]] std::size_t size() const { return facts_.size(); }
  void forget_from(std::size_t size);

  // In the order of the text, each name at each place once, with lines and columns.
  [[nodiscard]] std::vector<Fact> finish(std::string_view text) &&;

 private:
  struct Entry {
    Span at;
    Fact fact;
  };

  std::size_t max_facts_;
  bool full_ = false;
  std::vector<Entry> facts_;
};

// Where a span lies, with its length cut at the end of its first line.
class Places {
 public:
  explicit Places(std::string_view text) : text_(text) {}
  [[nodiscard]] Place of(Span at);  // spans in rising order make it fast

 private:
  std::string_view text_;
  std::uint32_t line_ = 1;
  std::size_t line_start_ = 0;
};

}  // namespace glovebox::policy

#include "redaction/word_finder.h"

#include <algorithm>

namespace glovebox::redaction {

void WordFinder::add(std::string_view word, WordCase word_case, std::uint32_t target) {
  Word added;
  added.text = word;
  if (word_case == WordCase::any) {
    std::transform(added.text.begin(), added.text.end(), added.text.begin(), to_lower);
  }
  const auto folded = [&](std::size_t index) { return kFold[static_cast<unsigned char>(word[index])]; };
  added.slot = slot_of((folded(0) << 16U) | (folded(1) << 8U) | folded(2));
  added.target = target;
  added.word_case = word_case;
  words_.push_back(std::move(added));
}

void WordFinder::build() {
  std::stable_sort(words_.begin(), words_.end(), [](const Word& a, const Word& b) { return a.slot < b.slot; });
  first_.assign(std::size_t{1} << kSlotBits, 0);
  bits_.fill(0);
  for (std::size_t index = words_.size(); index-- > 0;) {
    const std::uint32_t slot = words_[index].slot;
    first_[slot] = static_cast<std::uint32_t>(index);
    bits_[slot >> 6U] |= std::uint64_t{1} << (slot & 63U);
  }
}

bool WordFinder::stands_at(const Word& word, std::string_view text, std::size_t position) {
  const std::string_view there = text.substr(position, word.text.size());
  if (word.word_case == WordCase::exact) {
    return there == word.text;
  }
  return std::equal(there.begin(), there.end(), word.text.begin(), word.text.end(),
                    [](char a, char b) { return to_lower(a) == b; });
}

}  // namespace glovebox::redaction

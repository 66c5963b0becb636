// WordFinder: which of some hundred literals stand where in a text, in one pass.
//
// This runs over every byte that is stored and mostly finds nothing, so that is what it is made for: a hash of each
// three bytes, case folded, looks into a bitmap that fits the first-level cache; only where a bit is set are words
// compared. No step depends on the outcome of the one before, unlike in an Aho-Corasick automaton, and it costs well
// under a nanosecond per byte.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace glovebox::redaction {

[[nodiscard]] constexpr char to_lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + ('a' - 'A')) : letter;
}

// Every byte in lower case, ready to be shifted.
inline constexpr std::array<std::uint32_t, 256> kFold = [] {
  std::array<std::uint32_t, 256> fold{};
  for (std::size_t index = 0; index < fold.size(); ++index) {
    fold[index] = static_cast<unsigned char>(to_lower(static_cast<char>(index)));
  }
  return fold;
}();

enum class WordCase { exact, any };

class WordFinder {
 public:
  static constexpr std::size_t kMinWord = 3;

  // Words have at least kMinWord bytes. The target is given back where the word stands.
  void add(std::string_view word, WordCase word_case, std::uint32_t target);
  // After the last add.
  void build();

  // visit(position, target) for every word of the text, in order of position.
  template <typename Visit>
  void scan(std::string_view text, const Visit& visit) const {
    if (text.size() < kMinWord) {
      return;
    }
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    std::uint32_t three = (kFold[bytes[0]] << 8U) | kFold[bytes[1]];
    for (std::size_t index = 2; index < text.size(); ++index) {
      three = ((three << 8U) | kFold[bytes[index]]) & 0xffffffU;
      const std::uint32_t slot = slot_of(three);
      if (((bits_[slot >> 6U] >> (slot & 63U)) & 1U) != 0) [[unlikely]] {
        visit_slot(text, index - 2, slot, visit);
      }
    }
  }

 private:
  struct Word {
    std::uint32_t slot = 0;
    std::uint32_t target = 0;
    WordCase word_case = WordCase::exact;
    std::string text;  // lower case if any case matches
  };

  static constexpr unsigned kSlotBits = 15;
  static constexpr std::uint32_t slot_of(std::uint32_t three) { return (three * 0x9e3779b1U) >> (32U - kSlotBits); }

  [[nodiscard]] static bool stands_at(const Word& word, std::string_view text, std::size_t position);

  template <typename Visit>
  void visit_slot(std::string_view text, std::size_t position, std::uint32_t slot, const Visit& visit) const {
    for (std::size_t index = first_[slot]; index < words_.size() && words_[index].slot == slot; ++index) {
      if (stands_at(words_[index], text, position)) {
        visit(position, words_[index].target);
      }
    }
  }

  std::array<std::uint64_t, (1U << kSlotBits) / 64> bits_{};
  std::vector<std::uint32_t> first_;  // by slot: its first word; meaningful where the bit is set
  std::vector<Word> words_;           // by slot, then in the order of add()
};

}  // namespace glovebox::redaction

// Dotted names, interned: "os.path.join" is a path in a tree, so that following an attribute is one lookup and two
// names are equal when their numbers are.
//
// Words that a reader knows by heart are put in first and stay; forget_program() drops everything since.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace glovebox::policy {

using Word = std::uint32_t;    // one identifier
using NameId = std::uint32_t;  // a dotted name; 0: none

class Names {
 public:
  // The receiver of whom nothing is known, written "?".
  static constexpr NameId kUnknown = 1;
  static constexpr std::uint32_t kMaxDepth = 12;

  Names();

  [[nodiscard]] Word word(std::string_view text);  // text must outlive the program
  [[nodiscard]] std::string_view text(Word word) const { return words_[word].text; }
  [[nodiscard]] std::size_t word_count() const { return words_.size(); }

  [[nodiscard]] NameId root(Word word) { return member(0, word); }
  // A member of a member of something unknown is "?.member" again, and so is one deeper than kMaxDepth.
  [[nodiscard]] NameId member(NameId parent, Word word);
  [[nodiscard]] NameId dotted(std::string_view text);  // "os.path": keeps a copy
  [[nodiscard]] NameId parent(NameId name) const { return names_[name].parent; }
  // "?.something"
  [[nodiscard]] bool is_of_unknown(NameId name) const { return names_[name].parent == kUnknown; }
  [[nodiscard]] Word last(NameId name) const { return names_[name].word; }
  [[nodiscard]] std::string to_string(NameId name) const;

  std::string_view keep(std::string text);  // for words that are not in the program's text

  void remember_for_good();
  void forget_program();

 private:
  struct WordEntry {
    std::string_view text;
    std::uint32_t hash = 0;
  };
  struct NameEntry {
    NameId parent = 0;
    Word word = 0;
    std::uint32_t depth = 0;
  };
  // Open addressing over indices of a vector; sizes are powers of two, at most half full.
  struct Table {
    std::vector<std::uint32_t> slots = std::vector<std::uint32_t>(1'024);
    std::vector<std::uint32_t> lasting;  // as they were when all lasting entries were in
    void grow() { slots.assign(slots.size() * 2, 0); }
  };

  void rebuild_words();
  void rebuild_names();
  static std::uint32_t hash_name(NameId parent, Word word);

  std::vector<WordEntry> words_ = std::vector<WordEntry>(1);
  std::vector<NameEntry> names_ = std::vector<NameEntry>(1);
  Table word_table_;
  Table name_table_;
  std::deque<std::string> kept_;
  std::size_t lasting_words_ = 1;
  std::size_t lasting_names_ = 1;
  std::size_t lasting_kept_ = 0;
};

}  // namespace glovebox::policy

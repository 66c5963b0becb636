#include "policy/reading/names.h"

#include <algorithm>

namespace glovebox::policy {
namespace {

std::uint32_t hash_text(std::string_view text) {
  std::uint32_t hash = 2'166'136'261U;
  for (const char each : text) {
    hash = (hash ^ static_cast<std::uint8_t>(each)) * 16'777'619U;
  }
  return hash ^ (hash >> 15U);
}

}  // namespace

Names::Names() {
  const NameId unknown = root(word("?"));
  static_cast<void>(unknown);
  remember_for_good();
}

std::uint32_t Names::hash_name(NameId parent, Word word) {
  const std::uint32_t hash = (parent * 0x9e37'79b1U) ^ (word * 0x85eb'ca6bU);
  return hash ^ (hash >> 13U);
}

Word Names::word(std::string_view text) {
  const std::uint32_t hash = hash_text(text);
  const std::size_t mask = word_table_.slots.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const std::uint32_t found = word_table_.slots[at];
    if (found == 0) {
      words_.push_back({text, hash});
      const auto added = static_cast<Word>(words_.size() - 1);
      word_table_.slots[at] = added;
      if (words_.size() * 2 > word_table_.slots.size()) {
        word_table_.grow();
        rebuild_words();
      }
      return added;
    }
    if (words_[found].hash == hash && words_[found].text == text) {
      return found;
    }
  }
}

NameId Names::member(NameId parent, Word word) {
  if (names_[parent].depth >= kMaxDepth || names_[parent].parent == kUnknown) {
    parent = kUnknown;
  }
  const std::size_t mask = name_table_.slots.size() - 1;
  for (std::size_t at = hash_name(parent, word) & mask;; at = (at + 1) & mask) {
    const std::uint32_t found = name_table_.slots[at];
    if (found == 0) {
      names_.push_back({parent, word, names_[parent].depth + 1});
      const auto added = static_cast<NameId>(names_.size() - 1);
      name_table_.slots[at] = added;
      if (names_.size() * 2 > name_table_.slots.size()) {
        name_table_.grow();
        rebuild_names();
      }
      return added;
    }
    if (names_[found].parent == parent && names_[found].word == word) {
      return found;
    }
  }
}

NameId Names::dotted(std::string_view text) {
  std::string_view rest = keep(std::string(text));
  NameId name = 0;
  while (!rest.empty()) {
    const std::size_t dot = std::min(rest.find('.', 1), rest.size());
    name = member(name, word(rest.substr(0, dot)));
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  return name;
}

std::string Names::to_string(NameId name) const {
  std::size_t size = 0;
  for (NameId each = name; each != 0; each = names_[each].parent) {
    size += words_[names_[each].word].text.size() + 1;
  }
  std::string result(size == 0 ? 0 : size - 1, '.');
  std::size_t end = result.size();
  for (NameId each = name; each != 0; each = names_[each].parent) {
    const std::string_view part = words_[names_[each].word].text;
    std::copy(part.begin(), part.end(), result.begin() + static_cast<std::ptrdiff_t>(end - part.size()));
    end -= std::min(end, part.size() + 1);
  }
  return result;
}

std::string_view Names::keep(std::string text) { return kept_.emplace_back(std::move(text)); }

void Names::remember_for_good() {
  lasting_words_ = words_.size();
  lasting_names_ = names_.size();
  lasting_kept_ = kept_.size();
  word_table_.lasting = word_table_.slots;
  name_table_.lasting = name_table_.slots;
}

void Names::forget_program() {
  words_.resize(lasting_words_);
  names_.resize(lasting_names_);
  kept_.resize(lasting_kept_);
  // Tables that a large program blew up become small again, so that one such program does not slow down all others.
  word_table_.slots = word_table_.lasting;
  name_table_.slots = name_table_.lasting;
}

void Names::rebuild_words() {
  const std::size_t mask = word_table_.slots.size() - 1;
  for (std::size_t each = 1; each < words_.size(); ++each) {
    std::size_t at = words_[each].hash & mask;
    while (word_table_.slots[at] != 0) {
      at = (at + 1) & mask;
    }
    word_table_.slots[at] = static_cast<std::uint32_t>(each);
  }
}

void Names::rebuild_names() {
  const std::size_t mask = name_table_.slots.size() - 1;
  for (std::size_t each = 1; each < names_.size(); ++each) {
    std::size_t at = hash_name(names_[each].parent, names_[each].word) & mask;
    while (name_table_.slots[at] != 0) {
      at = (at + 1) & mask;
    }
    name_table_.slots[at] = static_cast<std::uint32_t>(each);
  }
}

}  // namespace glovebox::policy

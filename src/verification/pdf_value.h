// The objects of a PDF: names, numbers, texts, arrays, dictionaries, references. Only their structure is read; what a
// text says is passed over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "verification/work_budget.h"

namespace glovebox::verification {

struct PdfValue {
  enum class Kind : std::uint8_t { other, number, name, array, dictionary, reference };

  Kind kind = Kind::other;       // other: null, true, false, a text, a number with a fraction
  std::int64_t number = 0;       // of a whole number; of a reference the object
  std::string name;              // without its slash
  std::vector<PdfValue> values;  // of an array
  std::map<std::string, PdfValue> entries;

  // Null if there is none, or it is no dictionary.
  [[nodiscard]] const PdfValue* find(const std::string& key) const;
  // Of an entry that is a whole number from 0 on, or a name; nothing for everything else.
  [[nodiscard]] std::optional<std::uint64_t> count(const std::string& key) const;
  [[nodiscard]] std::string_view name_of(const std::string& key) const;
};

// Reads from the beginning of a text; each function passes over what it took, and over space and comments before it.
// With an empty budget the text is over.
class PdfParser {
 public:
  PdfParser(std::string_view text, WorkBudget& budget) : text_(text), budget_(budget) {}

  [[nodiscard]] base::Result<PdfValue> value() { return value_at_depth(0); }
  // A whole number from 0 on.
  [[nodiscard]] std::optional<std::uint64_t> take_number();
  // The word alone: "obj" is not taken from "object".
  [[nodiscard]] bool take_word(std::string_view word);
  [[nodiscard]] std::size_t position() const { return at_; }

 private:
  void skip_space();
  void pay_since(std::size_t start);
  [[nodiscard]] char next(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  [[nodiscard]] base::Result<PdfValue> value_at_depth(std::size_t depth);
  [[nodiscard]] base::Result<PdfValue> array(std::size_t depth);
  [[nodiscard]] base::Result<PdfValue> dictionary(std::size_t depth);
  [[nodiscard]] base::Result<PdfValue> number_or_reference();
  [[nodiscard]] base::Result<std::string> name();
  [[nodiscard]] base::Status skip_text();
  [[nodiscard]] base::Status skip_hexadecimal_text();

  std::string_view text_;
  WorkBudget& budget_;
  std::size_t at_ = 0;
};

}  // namespace glovebox::verification

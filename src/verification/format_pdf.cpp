// PDF: header, end mark, a cross-reference table whose every entry leads to its object, a catalogue, and the number of
// pages from there. In the newer form the table is itself compressed; then its place is checked, and pages are not
// told.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "verification/file_format.h"
#include "verification/refusal.h"

namespace glovebox::verification {
namespace {

using base::Result;
using base::Status;

constexpr std::size_t kTailBytes = 2048;
constexpr std::size_t kMaxObjects = 500'000;
constexpr std::size_t kMaxUpdates = 64;
constexpr std::size_t kMaxDictionary = std::size_t{1} << 16U;

constexpr std::string_view kSpace("\0\t\n\f\r ", 6);

std::string_view without_space(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  return text;
}

// A number at the beginning, which is then taken away together with the space before it.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::string_view rest = without_space(text);
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (problem != std::errc()) {
    return std::nullopt;
  }
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  text = rest;
  return number;
}

bool take_word(std::string_view& text, std::string_view word) {
  const std::string_view rest = without_space(text);
  if (!rest.starts_with(word)) {
    return false;
  }
  text = rest.substr(word.size());
  return true;
}

// What stands behind a key of a dictionary: /Count 3. A longer name that begins alike is another key.
std::optional<std::string_view> behind_key(std::string_view dictionary, std::string_view key) {
  for (std::size_t at = dictionary.find(key); at != dictionary.npos; at = dictionary.find(key, at + 1)) {
    const std::string_view rest = dictionary.substr(at + key.size());
    if (!rest.empty() && (kSpace.find(rest.front()) != kSpace.npos || rest.front() == '/' || rest.front() == '<')) {
      return rest;
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> number_of(std::string_view dictionary, std::string_view key) {
  auto rest = behind_key(dictionary, key);
  return rest ? take_number(*rest) : std::nullopt;
}

class PdfReader {
 public:
  PdfReader(std::string_view bytes, WorkBudget& budget) : bytes_(bytes), budget_(budget) {}

  Result<FileFacts> read() {
    const bool begins = bytes_.size() > 8 && bytes_.starts_with("%PDF-") && bytes_[6] == '.';
    if (!begins) {
      return refuse("it does not begin like a PDF");
    }
    std::size_t table = TRY(find_table());
    std::set<std::size_t> seen;
    while (true) {
      if (!seen.insert(table).second || seen.size() > kMaxUpdates) {
        return refuse("its cross-reference tables lead in a circle");
      }
      std::string_view rest = bytes_.substr(table);
      if (!take_word(rest, "xref")) {
        TRY_STATUS(check_stream(table));
        return FileFacts();  // a compressed table: pages are not told
      }
      const auto previous = TRY(read_table(rest));
      if (!previous) {
        break;
      }
      if (*previous >= bytes_.size()) {
        return refuse("a cross-reference table is outside of the file");
      }
      table = static_cast<std::size_t>(*previous);
    }
    return facts();
  }

 private:
  Result<std::size_t> find_table() const {
    const std::string_view tail = bytes_.substr(bytes_.size() - std::min(bytes_.size(), kTailBytes));
    const std::size_t end = tail.rfind("%%EOF");
    if (end == tail.npos || tail.find_first_not_of(kSpace, end + 5) != tail.npos) {
      return refuse("it does not end with %%EOF");
    }
    const std::size_t mark = tail.rfind("startxref", end);
    std::string_view rest = mark == tail.npos ? std::string_view() : tail.substr(mark + 9);
    const auto offset = take_number(rest);
    if (!offset || *offset >= bytes_.size() || !take_word(rest, "%%EOF")) {
      return refuse("startxref does not lead to a cross-reference table");
    }
    return static_cast<std::size_t>(*offset);
  }

  Status check_stream(std::size_t at) const {
    std::string_view rest = bytes_.substr(at);
    const bool object = take_number(rest) && take_number(rest) && take_word(rest, "obj");
    const std::string_view dictionary = rest.substr(0, rest.substr(0, kMaxDictionary).find("stream"));
    return object && dictionary.find("/XRef") != dictionary.npos && dictionary.find("/Root") != dictionary.npos
               ? Status()
               : refuse("startxref does not lead to a cross-reference table");
  }

  // The sections of a table and its trailer; where the table before it is, if there is one.
  Result<std::optional<std::uint64_t>> read_table(std::string_view rest) {
    while (!take_word(rest, "trailer")) {
      const auto first = take_number(rest);
      const auto count = take_number(rest);
      if (!first || !count || *count > kMaxObjects || *first > kMaxObjects * 16) {
        return refuse("the cross-reference table is damaged");
      }
      for (std::uint64_t index = 0; index < *count; ++index) {
        const auto offset = take_number(rest);
        const auto generation = take_number(rest);
        const bool used = take_word(rest, "n");
        if (!offset || !generation || (!used && !take_word(rest, "f")) || !budget_.spend(2)) {
          return refuse("the cross-reference table is damaged");
        }
        if (used) {
          TRY_STATUS(add_object(*first + index, *offset));
        }
      }
    }
    const std::string_view dictionary = rest.substr(0, std::min(rest.find("startxref"), kMaxDictionary));
    if (!root_) {
      root_ = number_of(dictionary, "/Root");
    }
    return number_of(dictionary, "/Prev");
  }

  Status add_object(std::uint64_t number, std::uint64_t offset) {
    if (objects_.size() >= kMaxObjects) {
      return refuse(fmt::format("more than {} objects", kMaxObjects));
    }
    std::string_view rest = offset < bytes_.size() ? bytes_.substr(static_cast<std::size_t>(offset), 64) : "";
    const auto there = take_number(rest);
    if (!there || *there != number || !take_number(rest) || !take_word(rest, "obj")) {
      return refuse(fmt::format("the object {} is not where the cross-reference table says", number));
    }
    objects_.emplace(number, static_cast<std::size_t>(offset));  // a later update came first and stays
    return {};
  }

  [[nodiscard]] Result<std::string_view> object(std::optional<std::uint64_t> number, std::string_view what) const {
    const auto found = number ? objects_.find(*number) : objects_.end();
    if (found == objects_.end()) {
      return refuse(fmt::format("it has no {}", what));
    }
    const std::string_view rest = bytes_.substr(found->second, kMaxDictionary);
    return rest.substr(0, rest.find("endobj"));
  }

  [[nodiscard]] Result<FileFacts> facts() const {
    const std::string_view catalogue = TRY(object(root_, "catalogue"));
    const std::string_view pages = TRY(object(number_of(catalogue, "/Pages"), "pages"));
    FileFacts facts;
    facts.pages = number_of(pages, "/Count");
    if (!facts.pages) {
      return refuse("it does not say how many pages it has");
    }
    return facts;
  }

  std::string_view bytes_;
  WorkBudget& budget_;
  std::map<std::uint64_t, std::size_t> objects_;
  std::optional<std::uint64_t> root_;
};

}  // namespace

Result<FileFacts> read_pdf(std::string_view bytes, WorkBudget& budget) { return PdfReader(bytes, budget).read(); }

}  // namespace glovebox::verification

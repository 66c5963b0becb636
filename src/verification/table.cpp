#include "verification/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "verification/json_tools.h"
#include "verification/refusal.h"

namespace glovebox::verification {

using base::Result;
using base::Status;

namespace {

constexpr std::size_t kMaxCells = 2'000'000;

}  // namespace

class TableReader {
 public:
  TableReader(std::string_view bytes, char separator, WorkBudget& budget)
      : bytes_(bytes), separator_(separator), budget_(budget) {}

  Result<Table> read() {
    if (bytes_.starts_with("\xEF\xBB\xBF")) {
      bytes_.remove_prefix(3);
    }
    table_.text_.reserve(bytes_.size());
    while (at_ < bytes_.size()) {
      TRY_STATUS(read_row());
    }
    return row_number_ == 0 ? refuse("empty: there is no header row") : Result<Table>(std::move(table_));
  }

 private:
  // The header is row 0, so that messages count rows of data from 1.
  Status read_row() {
    if (skip_blank_line()) {
      return budget_.spend(1) ? Status() : refuse(kOutOfBudget);
    }
    row_.clear();
    bool more = true;
    while (more) {
      more = TRY(read_cell());
    }
    if (!budget_.hold(row_.size() * (row_number_ == 0 ? sizeof(std::string) : sizeof(Table::Cell)))) {
      return refuse(kOutOfMemory);
    }
    if (row_number_ == 0) {
      for (const Table::Cell& cell : row_) {
        table_.columns_.push_back(table_.text_.substr(cell.start, cell.size));
      }
    } else if (row_.size() != table_.columns_.size()) {
      return refuse(
          fmt::format("row {} has {} cells, the header has {}", row_number_, row_.size(), table_.columns_.size()));
    } else {
      table_.cells_.insert(table_.cells_.end(), row_.begin(), row_.end());
    }
    ++row_number_;
    return {};
  }

  // A line of nothing but space is no row, also in a table of one column: whatever reads the file later sees none.
  bool skip_blank_line() {
    std::size_t end = at_;
    while (end < bytes_.size() && bytes_[end] != separator_ && (bytes_[end] == ' ' || bytes_[end] == '\t')) {
      ++end;
    }
    if (bytes_.substr(end).starts_with("\r\n")) {
      ++end;
    }
    if (end < bytes_.size() && bytes_[end] != '\n') {
      return false;
    }
    at_ = std::min(end + 1, bytes_.size());
    return true;
  }

  [[nodiscard]] bool is_stop(char letter) const {
    return letter == separator_ || letter == '\n' || letter == '\r' || letter == '"';
  }

  // True when another cell of the same row follows.
  Result<bool> read_cell() {
    if (table_.cells_.size() + row_.size() >= kMaxCells || !budget_.spend(1)) {
      return refuse(fmt::format("too many cells to be checked: more than {}", table_.cells_.size() + row_.size()));
    }
    Table::Cell cell;
    cell.start = static_cast<std::uint32_t>(table_.text_.size());
    if (at_ < bytes_.size() && bytes_[at_] == '"') {
      TRY_STATUS(read_quoted());
    } else {
      std::size_t end = at_;
      while (end < bytes_.size() && !is_stop(bytes_[end])) {
        ++end;
      }
      table_.text_ += bytes_.substr(at_, end - at_);
      at_ = end;
    }
    cell.size = static_cast<std::uint32_t>(table_.text_.size() - cell.start);
    row_.push_back(cell);
    return end_of_cell();
  }

  Result<bool> end_of_cell() {
    if (at_ >= bytes_.size()) {
      return false;
    }
    if (bytes_[at_] == separator_) {
      ++at_;
      return true;
    }
    if (bytes_.substr(at_).starts_with("\r\n")) {
      at_ += 2;
      return false;
    }
    if (bytes_[at_] == '\n') {
      ++at_;
      return false;
    }
    return refuse(fmt::format("row {}: {} in the middle of a cell", row_number_,
                              bytes_[at_] == '\r'  ? "a carriage return"
                              : bytes_[at_] == '"' ? "a quote"
                                                   : "text behind a quote"));
  }

  Status read_quoted() {
    ++at_;
    while (true) {
      const std::size_t quote = bytes_.find('"', at_);
      if (quote == bytes_.npos) {
        return refuse(fmt::format("row {}: a quote that is not closed", row_number_));
      }
      table_.text_ += bytes_.substr(at_, quote - at_);
      at_ = quote + 1;
      if (at_ >= bytes_.size() || bytes_[at_] != '"') {
        return {};
      }
      table_.text_ += '"';
      ++at_;
      if (!budget_.spend(1)) {
        return refuse(kOutOfBudget);
      }
    }
  }

  std::string_view bytes_;
  char separator_;
  WorkBudget& budget_;
  std::size_t at_ = 0;
  std::size_t row_number_ = 0;
  std::vector<Table::Cell> row_;
  Table table_;
};

Result<Table> Table::parse(std::string_view bytes, char separator, WorkBudget& budget) {
  if (bytes.size() > kMaxDocumentBytes) {
    return refuse(fmt::format("{} bytes are too many to be checked; at most {}", bytes.size(), kMaxDocumentBytes));
  }
  if (!budget.spend(1 + bytes.size() / 16)) {
    return refuse(kOutOfBudget);
  }
  if (!budget.hold(bytes.size())) {
    return refuse(kOutOfMemory);
  }
  if (bytes.find('\0') != bytes.npos || !base::is_valid_utf8(bytes)) {
    return refuse("not UTF-8 text");
  }
  return TableReader(bytes, separator, budget).read();
}

std::string_view Table::cell(std::size_t row, std::size_t column) const {
  const Cell& cell = cells_[row * columns_.size() + column];
  return std::string_view(text_).substr(cell.start, cell.size);
}

Result<std::size_t> Table::find_column(std::string_view name) const {
  const auto found = std::find(columns_.begin(), columns_.end(), name);
  if (found == columns_.end()) {
    std::string known = fmt::format(
        "{}", fmt::join(columns_.begin(), columns_.begin() + std::min<std::ptrdiff_t>(20, std::ssize(columns_)), ", "));
    return refuse(fmt::format("there is no column \"{}\"; the columns are {}", shown_text(name), shown_text(known)));
  }
  if (std::find(found + 1, columns_.end(), name) != columns_.end()) {
    return refuse(fmt::format("there are several columns \"{}\"", shown_text(name)));
  }
  return static_cast<std::size_t>(found - columns_.begin());
}

}  // namespace glovebox::verification

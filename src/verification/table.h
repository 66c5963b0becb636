// A CSV or TSV file as a table: RFC 4180, with a header row, strictly. Ragged rows, stray quotes, malformed UTF-8 and
// NUL bytes are refused with their row; CRLF and LF both end a row, and the last one may lack it. Blank lines are no
// rows, as for pandas: an empty cell of a table with one column is written "".
//
// Cells are offsets into one decoded text, so that a table costs little more than its file. A cell is text; column()
// of the invariants reads numbers from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "verification/work_budget.h"

namespace glovebox::verification {

class Table {
 public:
  [[nodiscard]] static base::Result<Table> parse(std::string_view bytes, char separator, WorkBudget& budget);

  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  [[nodiscard]] std::size_t row_count() const { return columns_.empty() ? 0 : cells_.size() / columns_.size(); }
  [[nodiscard]] std::string_view cell(std::size_t row, std::size_t column) const;
  // Fails for a name that is missing, or there twice.
  [[nodiscard]] base::Result<std::size_t> find_column(std::string_view name) const;

 private:
  struct Cell {
    std::uint32_t start = 0;
    std::uint32_t size = 0;
  };
  friend class TableReader;

  std::string text_;
  std::vector<std::string> columns_;
  std::vector<Cell> cells_;  // row by row
};

}  // namespace glovebox::verification

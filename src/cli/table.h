// A table for a terminal: columns as wide as their contents, the whole at most 100 characters.
//
// Where the contents are wider than that, the widest columns that may be cut are cut, with an ellipsis. A column
// without any content is left out. Cells come from outside: control characters and escape sequences are removed, a
// line break becomes a space. Every character is taken for one wide.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace glovebox::cli {

class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    std::size_t least = 0;  // may be cut to this width; 0: never
    Align align = Align::left;
  };

  explicit Table(std::vector<Column> columns);

  // As many cells as there are columns.
  void add_row(const std::vector<std::string>& cells);
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::string text(std::size_t width = 100) const;

 private:
  [[nodiscard]] std::vector<std::size_t> widths(std::size_t width) const;
  void append_line(std::string& out, const std::vector<std::string>& cells,
                   const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// One line of harmless text: what a cell of a table is.
[[nodiscard]] std::string one_line(std::string_view text);

}  // namespace glovebox::cli

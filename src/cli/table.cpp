#include "cli/table.h"

#include <algorithm>

#include "base/utf8.h"

namespace glovebox::cli {
namespace {

constexpr std::string_view kGap = "  ";
constexpr std::string_view kEllipsis = "…";

bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

std::string cut(const std::string& text, std::size_t width) {
  if (characters(text) <= width) {
    return text;
  }
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end) {
    if (starts_character(text[end]) && ++seen == width) {
      break;
    }
  }
  return text.substr(0, end) + std::string(kEllipsis);
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line = base::sanitize_output(text);
  std::replace_if(
      line.begin(), line.end(), [](char byte) { return byte == '\n' || byte == '\r' || byte == '\t'; }, ' ');
  return line;
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add_row(const std::vector<std::string>& cells) {
  std::vector<std::string> row(columns_.size());
  std::transform(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(std::min(cells.size(), row.size())),
                 row.begin(), [](const std::string& cell) { return one_line(cell); });
  rows_.push_back(std::move(row));
}

// 0: the column is left out.
std::vector<std::size_t> Table::widths(std::size_t width) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const std::vector<std::string>& row : rows_) {
    for (std::size_t index = 0; index < row.size(); ++index) {
      widths[index] = std::max(widths[index], characters(row[index]));
    }
  }
  std::size_t total = 0;
  for (std::size_t index = 0; index < widths.size(); ++index) {
    if (widths[index] != 0) {
      widths[index] = std::max(widths[index], characters(columns_[index].title));
      total += widths[index] + (total == 0 ? 0 : kGap.size());
    }
  }
  while (total > width) {
    std::size_t widest = widths.size();
    for (std::size_t index = 0; index < widths.size(); ++index) {
      const bool may_shrink = columns_[index].least != 0 && widths[index] > columns_[index].least;
      if (may_shrink && (widest == widths.size() || widths[index] > widths[widest])) {
        widest = index;
      }
    }
    if (widest == widths.size()) {
      break;
    }
    --widths[widest];
    --total;
  }
  return widths;
}

void Table::append_line(std::string& out, const std::vector<std::string>& cells,
                        const std::vector<std::size_t>& widths) const {
  std::string line;
  bool first = true;
  for (std::size_t index = 0; index < cells.size(); ++index) {
    if (widths[index] == 0) {
      continue;
    }
    const std::string cell = cut(cells[index], widths[index]);
    const std::string space(widths[index] - std::min(widths[index], characters(cell)), ' ');
    line += first ? "" : kGap;
    line += columns_[index].align == Align::right ? space + cell : cell + space;
    first = false;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

std::string Table::text(std::size_t width) const {
  const std::vector<std::size_t> chosen = widths(width);
  std::vector<std::string> titles;
  for (const Column& column : columns_) {
    titles.push_back(column.title);
  }
  std::string out;
  append_line(out, titles, chosen);
  for (const std::vector<std::string>& row : rows_) {
    append_line(out, row, chosen);
  }
  return out;
}

}  // namespace glovebox::cli

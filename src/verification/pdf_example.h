// PDF files for tests, put together piece by piece: good ones, and ones that nobody wrote in good faith.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

namespace glovebox::verification {

class PdfExample {
 public:
  // Where it begins.
  std::size_t add_object(std::uint64_t number, const std::string& value) {
    const std::size_t place = add_head(number, "\n");
    text_ += value + "\nendobj\n";
    return place;
  }
  // Only the beginning of one: what it is, comes with the next text.
  std::size_t add_head(std::uint64_t number, const std::string& behind) {
    const std::size_t place = text_.size();
    text_ += fmt::format("{} 0 obj{}", number, behind);
    add_row(number, 1, place);
    return place;
  }

  // `length`: what it says about itself, if that is not how long it is.
  std::size_t add_stream(std::uint64_t number, const std::string& entries, const std::string& content,
                         const std::string& length = "") {
    return add_object(number, fmt::format("<<{}/Length {}>>\nstream\n{}\nendstream", entries,
                                          length.empty() ? std::to_string(content.size()) : length, content));
  }

  // Objects in one stream, numbered from `first` on.
  void add_packed(std::uint64_t stream, std::uint64_t first, const std::vector<std::string>& values,
                  const std::string& length = "") {
    std::string head;
    std::string body;
    for (std::size_t index = 0; index < values.size(); ++index) {
      head += fmt::format("{} {} ", first + index, body.size());
      body += values[index] + " ";
      add_row(first + index, 2, stream);
    }
    add_stream(stream, fmt::format("/Type/ObjStm/N {}/First {}", values.size(), head.size()), head + body, length);
  }

  // A line of the table: the kind 1 is at a place of the file, 2 in a stream.
  void add_row(std::uint64_t number, std::uint64_t kind, std::uint64_t where) {
    rows_.push_back({number, kind, where});
  }
  [[nodiscard]] std::uint64_t count() const { return rows_.size(); }
  void add_text(const std::string& text) { text_ += text; }

  // With its table, as a stream of its own; `length` as above.
  [[nodiscard]] std::string finished(const std::string& root, const std::string& length = "") {
    std::string index;
    std::string content;
    for (const Row& row : rows_) {
      index += fmt::format("{} 1 ", row.number);
      content += static_cast<char>(row.kind);
      for (int shift = 24; shift >= 0; shift -= 8) {
        content += static_cast<char>(row.where >> shift);
      }
    }
    const std::size_t table =
        add_stream(900'000, fmt::format("/Type/XRef/Size 1/W[1 4 0]/Index[{}]/Root {}", index, root), content, length);
    return text_ + fmt::format("startxref\n{}\n%%EOF\n", table);
  }

  // With its table as text, for objects that were added in their order from 1 on.
  [[nodiscard]] std::string finished_plainly(const std::string& root) {
    const std::size_t table = text_.size();
    text_ += fmt::format("xref\n1 {}\n", rows_.size());
    for (const Row& row : rows_) {
      text_ += fmt::format("{:010} 00000 n \n", row.where);
    }
    return text_ + fmt::format("trailer<</Root {}>>\nstartxref\n{}\n%%EOF\n", root, table);
  }

 private:
  struct Row {
    std::uint64_t number, kind, where;
  };

  std::string text_ = "%PDF-1.5\n";
  std::vector<Row> rows_;
};

}  // namespace glovebox::verification

// Does a file really parse as what it claims to be, and what is in it (V3)?
//
// Each format has a reader of its own, which takes hostile bytes: memory and time are bounded, nothing is trusted that
// can be computed. docs/verification.md says for each format what "parses" means.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "verification/work_budget.h"

namespace glovebox::verification {

// What a file turned out to hold. Absent: this format has no such thing, or this file does not tell.
struct FileFacts {
  std::optional<std::uint64_t> rows;
  std::optional<std::vector<std::string>> columns;
  bool columns_have_order = true;  // the members of a JSON object have none
  std::optional<std::uint64_t> width;
  std::optional<std::uint64_t> height;
  std::optional<std::uint64_t> pages;
};

struct FileFormat {
  std::string_view name;
  base::Result<FileFacts> (*read)(std::string_view bytes, WorkBudget& budget);
  // Which facts the format can tell: what else is asked for is an error of the request.
  bool has_rows = false;
  bool has_size = false;
  bool has_pages = false;
};

[[nodiscard]] std::span<const FileFormat> file_formats();
// Null for a name that is not in the list.
[[nodiscard]] const FileFormat* find_file_format(std::string_view name);

// The readers, one file each.
[[nodiscard]] base::Result<FileFacts> read_csv(std::string_view bytes, WorkBudget& budget);
[[nodiscard]] base::Result<FileFacts> read_tsv(std::string_view bytes, WorkBudget& budget);
[[nodiscard]] base::Result<FileFacts> read_json_file(std::string_view bytes, WorkBudget& budget);
[[nodiscard]] base::Result<FileFacts> read_jsonl(std::string_view bytes, WorkBudget& budget);
[[nodiscard]] base::Result<FileFacts> read_parquet(std::string_view bytes, WorkBudget& budget);
[[nodiscard]] base::Result<FileFacts> read_png(std::string_view bytes, WorkBudget& budget);
[[nodiscard]] base::Result<FileFacts> read_jpeg(std::string_view bytes, WorkBudget& budget);
[[nodiscard]] base::Result<FileFacts> read_svg(std::string_view bytes, WorkBudget& budget);
[[nodiscard]] base::Result<FileFacts> read_pdf(std::string_view bytes, WorkBudget& budget);
[[nodiscard]] base::Result<FileFacts> read_html(std::string_view bytes, WorkBudget& budget);
[[nodiscard]] base::Result<FileFacts> read_zip(std::string_view bytes, WorkBudget& budget);
[[nodiscard]] base::Result<FileFacts> read_text(std::string_view bytes, WorkBudget& budget);

}  // namespace glovebox::verification

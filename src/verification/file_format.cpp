#include "verification/file_format.h"

#include <algorithm>
#include <array>

namespace glovebox::verification {
namespace {

constexpr std::array kFormats = {
    FileFormat{.name = "csv", .read = read_csv, .has_rows = true},
    FileFormat{.name = "tsv", .read = read_tsv, .has_rows = true},
    FileFormat{.name = "json", .read = read_json_file, .has_rows = true},
    FileFormat{.name = "jsonl", .read = read_jsonl, .has_rows = true},
    FileFormat{.name = "parquet", .read = read_parquet, .has_rows = true},
    FileFormat{.name = "png", .read = read_png, .has_size = true},
    FileFormat{.name = "jpeg", .read = read_jpeg, .has_size = true},
    FileFormat{.name = "svg", .read = read_svg, .has_size = true},
    FileFormat{.name = "pdf", .read = read_pdf, .has_pages = true},
    FileFormat{.name = "html", .read = read_html},
    FileFormat{.name = "zip", .read = read_zip},
    FileFormat{.name = "text", .read = read_text},
};

}  // namespace

std::span<const FileFormat> file_formats() { return kFormats; }

const FileFormat* find_file_format(std::string_view name) {
  const auto* found =
      std::find_if(kFormats.begin(), kFormats.end(), [&](const FileFormat& f) { return f.name == name; });
  return found == kFormats.end() ? nullptr : found;
}

}  // namespace glovebox::verification

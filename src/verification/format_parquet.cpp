// Parquet: both magic marks, the footer, and that what it says fits together: the tree of columns, the rows of the row
// groups, and every column chunk inside the file. The pages of data are not decoded.
#include <fmt/format.h>

#include "base/utf8.h"
#include "verification/byte_reader.h"
#include "verification/file_format.h"
#include "verification/refusal.h"
#include "verification/thrift.h"

namespace glovebox::verification {
namespace {

using base::Result;
using base::Status;

constexpr std::string_view kMagic = "PAR1";

// Fields by their numbers in parquet.thrift.
namespace file_metadata {
constexpr int kSchema = 2, kRows = 3, kRowGroups = 4;
}
namespace schema_element {
constexpr int kName = 4, kChildren = 5;
}
namespace row_group {
constexpr int kColumns = 1, kRows = 3;
}
namespace column_chunk {
constexpr int kFile = 1, kMetadata = 3;
}
namespace column_metadata {
constexpr int kPackedBytes = 7, kDataPage = 9, kDictionaryPage = 11;
}

std::int64_t number(const ThriftValue& value, int field, std::int64_t otherwise) {
  const ThriftValue* found = value.field(field);
  return found == nullptr ? otherwise : found->number;
}

struct Columns {
  std::vector<std::string> names;  // below the root
  std::size_t leaves = 0;          // those with data
};

// The schema is a tree in depth-first order: the root first, every element with the number of its children.
Result<Columns> read_columns(const ThriftValue& schema) {
  Columns columns;
  std::vector<std::int64_t> open;  // children still to come, from the root down
  for (const ThriftValue& element : schema.list) {
    const bool root = &element == &schema.list.front();
    while (!open.empty() && open.back() == 0) {
      open.pop_back();
    }
    const ThriftValue* name = element.field(schema_element::kName);
    const std::int64_t children = number(element, schema_element::kChildren, 0);
    if (name == nullptr || children < 0 || open.empty() != root || open.size() > 64) {
      return refuse("the tree of columns does not fit together");
    }
    if (!root) {
      --open.back();
      if (open.size() == 1) {
        columns.names.push_back(base::to_valid_utf8(name->bytes));
      }
      columns.leaves += children == 0 ? 1 : 0;
    }
    if (root || children > 0) {
      open.push_back(children);
    }
  }
  for (const std::int64_t missing : open) {
    if (missing != 0) {
      return refuse("the tree of columns does not fit together");
    }
  }
  return open.empty() && schema.list.empty() ? refuse("it has no schema") : Result<Columns>(std::move(columns));
}

Status check_chunk(const ThriftValue& chunk, std::int64_t end) {
  if (chunk.field(column_chunk::kFile) != nullptr) {
    return refuse("its data is in another file");
  }
  const ThriftValue* metadata = chunk.field(column_chunk::kMetadata);
  if (metadata == nullptr) {
    return refuse("a column without its description");
  }
  const std::int64_t data = number(*metadata, column_metadata::kDataPage, -1);
  const std::int64_t dictionary = number(*metadata, column_metadata::kDictionaryPage, 0);
  const std::int64_t start = dictionary > 0 && dictionary < data ? dictionary : data;
  const std::int64_t size = number(*metadata, column_metadata::kPackedBytes, -1);
  const bool inside = start >= static_cast<std::int64_t>(kMagic.size()) && start <= end && size >= 0 &&
                      size <= end - start && data <= end;
  return inside ? Status() : refuse("a column's data is outside of the file");
}

}  // namespace

Result<FileFacts> read_parquet(std::string_view bytes, WorkBudget& budget) {
  if (bytes.size() < 12 || !bytes.starts_with(kMagic) || !bytes.ends_with(kMagic)) {
    return refuse("it does not begin and end like a Parquet file");
  }
  const std::uint32_t footer_size = *ByteReader(bytes.substr(bytes.size() - 8)).little_endian(4);
  if (footer_size > bytes.size() - 12) {
    return refuse("the footer is larger than the file");
  }
  const std::size_t end = bytes.size() - 8 - footer_size;
  const ThriftValue footer = TRY(read_thrift(bytes.substr(end, footer_size), budget));
  const ThriftValue* schema = footer.field(file_metadata::kSchema);
  const ThriftValue* groups = footer.field(file_metadata::kRowGroups);
  const std::int64_t rows = number(footer, file_metadata::kRows, -1);
  if (schema == nullptr || groups == nullptr || rows < 0) {
    return refuse("the footer lacks the schema, the rows or the row groups");
  }
  Columns columns = TRY(read_columns(*schema));
  std::int64_t sum = 0;
  for (const ThriftValue& group : groups->list) {
    const ThriftValue* chunks = group.field(row_group::kColumns);
    const std::int64_t count = number(group, row_group::kRows, -1);
    if (chunks == nullptr || chunks->list.size() != columns.leaves || count < 0 || count > rows - sum) {
      return refuse("a row group does not fit the schema");
    }
    sum += count;
    for (const ThriftValue& chunk : chunks->list) {
      TRY_STATUS(check_chunk(chunk, static_cast<std::int64_t>(end)));
    }
  }
  if (sum != rows) {
    return refuse(fmt::format("the row groups have {} rows, the file says {}", sum, rows));
  }
  FileFacts facts;
  facts.rows = static_cast<std::uint64_t>(rows);
  facts.columns = std::move(columns.names);
  return facts;
}

}  // namespace glovebox::verification

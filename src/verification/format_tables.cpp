// csv, tsv, json, jsonl and plain text.
#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "verification/documents.h"
#include "verification/file_format.h"
#include "verification/table.h"

namespace glovebox::verification {
namespace {

using base::Result;

Result<FileFacts> facts_of_table(std::string_view bytes, char separator, WorkBudget& budget) {
  const Table table = TRY(Table::parse(bytes, separator, budget));
  FileFacts facts;
  facts.rows = table.row_count();
  facts.columns = table.columns();
  return facts;
}

// A list of objects with the same keys is a table as well.
FileFacts facts_of_list(const List& list) {
  FileFacts facts;
  facts.rows = list.size();
  if (list.empty() || list.front().object() == nullptr) {
    return facts;
  }
  std::vector<std::string> keys;
  for (const auto& [key, value] : *list.front().object()) {
    keys.push_back(key);
  }
  const bool same = std::all_of(list.begin(), list.end(), [&](const Value& row) {
    return row.object() != nullptr && row.object()->size() == keys.size() &&
           std::equal(keys.begin(), keys.end(), row.object()->begin(),
                      [](const std::string& key, const auto& member) { return key == member.first; });
  });
  if (same) {
    facts.columns_have_order = false;
    facts.columns = std::move(keys);
  }
  return facts;
}

}  // namespace

Result<FileFacts> read_csv(std::string_view bytes, WorkBudget& budget) { return facts_of_table(bytes, ',', budget); }
Result<FileFacts> read_tsv(std::string_view bytes, WorkBudget& budget) { return facts_of_table(bytes, '\t', budget); }

Result<FileFacts> read_json_file(std::string_view bytes, WorkBudget& budget) {
  const Value document = TRY(read_document_as("json", bytes, budget));
  return document.list() != nullptr ? facts_of_list(*document.list()) : FileFacts();
}

Result<FileFacts> read_jsonl(std::string_view bytes, WorkBudget& budget) {
  return facts_of_list(TRY(read_json_lines(bytes, budget)));
}

Result<FileFacts> read_text(std::string_view bytes, WorkBudget& budget) {
  if (!budget.spend(1 + bytes.size() / 64)) {
    return base::fail(base::ErrorCode::invalid_output, kOutOfBudget);
  }
  if (bytes.find('\0') != bytes.npos || !base::is_valid_utf8(bytes)) {
    return base::fail(base::ErrorCode::invalid_output, "not UTF-8 text");
  }
  return FileFacts();
}

}  // namespace glovebox::verification

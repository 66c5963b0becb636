// Thrift's compact protocol as a tree: what the footer of a Parquet file is written in.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "verification/work_budget.h"

namespace glovebox::verification {

struct ThriftField;

struct ThriftValue {
  std::int64_t number = 0;           // of booleans and whole numbers
  std::string_view bytes;            // of strings
  std::vector<ThriftValue> list;     // of lists and sets
  std::vector<ThriftField> members;  // of structs

  // Null when the struct has no such field.
  [[nodiscard]] const ThriftValue* field(int id) const;
};

struct ThriftField {
  int id = 0;
  ThriftValue value;
};

// One struct that takes up all the bytes; the tree's depth and size are bounded.
[[nodiscard]] base::Result<ThriftValue> read_thrift(std::string_view bytes, WorkBudget& budget);

}  // namespace glovebox::verification
